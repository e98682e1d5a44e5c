/** The version segment of the base URL. */
export const BASE_PATH = '/v1';
