// `renderline/client`: a typed client of the platform's API that respects the rate limit of the API key.
export {
  type CallOptions,
  type Client,
  type ClientOptions,
  createClient,
} from '../../api/client.ts';
export { ApiError } from '../../api/errors/errors.ts';
