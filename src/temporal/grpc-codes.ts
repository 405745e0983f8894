// Status codes of gRPC.
/** What is asked for is not understood. */
export const grpcInvalidArgument = 3;
/** What is asked for is not there. */
export const grpcNotFound = 5;
/** It is there, and not in a state for this. */
export const grpcFailedPrecondition = 9;
/** The server cannot do this. */
export const grpcUnimplemented = 12;
