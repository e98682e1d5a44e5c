import { type Static, Type } from 'typebox';

/** Identifies the user that a key or a session belongs to. */
export const UserName = Type.Object({
  id: Type.String({ description: 'User identifier' }),
  name: Type.String({ description: 'Name at the identity provider' }),
});
export type UserName = Static<typeof UserName>;
