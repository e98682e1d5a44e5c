import type { GroupRule } from '../../domain/group-access.ts';

/** How people sign in at an identity provider. */
export interface SignInSettings {
  issuer: string;
  clientId: string;
  /** null: a public client, which PKCE alone protects. */
  clientSecret: string | null;
  /** What the button calls the provider. */
  name: string;
  /** Separated by spaces. */
  scopes: string;
  /** The claim that says in which groups somebody is. */
  groupsClaim: string;
  rules: readonly GroupRule[];
  /** How long a key is good that comes of signing in. */
  keyForMs: number;
  /** Where browsers find the console: an origin. */
  publicUrl: string;
}
