// gRPC status codes.
/** The request is invalid. */
export const grpcInvalidArgument = 3;
/** The object does not exist. */
export const grpcNotFound = 5;
/** The object exists, but its state does not allow the request. */
export const grpcFailedPrecondition = 9;
/** The server does not support the request. */
export const grpcUnimplemented = 12;
