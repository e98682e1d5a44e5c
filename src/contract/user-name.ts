import { type Static, Type } from 'typebox';

/** A person, where it is told who did or has something. */
export const UserName = Type.Object({
  id: Type.String({ description: 'User identifier' }),
  name: Type.String({ description: 'What the identity provider calls them' }),
});
export type UserName = Static<typeof UserName>;
