/** Limits the requests without a valid key or token, by client address. */
export interface FailureLimit {
  /** Called before a key or token is looked up that is not known to be valid. @throws ApiError 40029 */
  admitUnknownKey(address: string): void;
  /** Counts a request without a valid key or token. */
  recordFailure(address: string): void;
}
