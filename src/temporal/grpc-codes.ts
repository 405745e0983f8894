/** Status code of gRPC for what is not there. */
export const grpcNotFound = 5;
