/** Status code of gRPC for what is not there. */
export const grpcNotFound = 5;
/** Status code of gRPC for what the server cannot do. */
export const grpcUnimplemented = 12;
