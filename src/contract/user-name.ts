import { type Static, Type } from 'typebox';

/** Identifies a person in the responses that name who did or uses something. */
export const UserName = Type.Object({
  id: Type.String({ description: 'User identifier' }),
  name: Type.String({ description: 'What the identity provider calls them' }),
});
export type UserName = Static<typeof UserName>;
