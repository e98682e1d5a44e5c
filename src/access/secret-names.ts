/** Names in the store of the secrets that all processes of the control plane share. */
export const SECRET = {
  /** Signs the tokens in socket addresses. */
  socketToken: 'socket-token',
  /** Seals the cookie of a sign-in, because the browser may return to any process. */
  signIn: 'sign-in',
  /** Seed of the key with which the control plane authenticates to NATS. */
  nats: 'nats-seed',
} as const;
