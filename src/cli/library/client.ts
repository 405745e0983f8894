// `renderline/client`: the platform's API, typed, within the rate limit of its key.
export {
  type CallOptions,
  type Client,
  type ClientOptions,
  createClient,
} from '../../api/client.ts';
export { ApiError } from '../../api/errors.ts';
