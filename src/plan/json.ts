/** Plain data, as it is in a file, a message or a hash. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
