import type { GroupRule } from '../../domain/group-access.ts';

/** Settings for signing in at an identity provider. */
export interface SignInSettings {
  issuer: string;
  clientId: string;
  /** null for a public client, which is protected only by PKCE. */
  clientSecret: string | null;
  /** Name of the provider on the sign-in button. */
  name: string;
  /** OAuth scopes, separated by spaces. */
  scopes: string;
  /** The claim that contains the user's groups. */
  groupsClaim: string;
  rules: readonly GroupRule[];
  /** Lifetime of a key that is issued by a sign-in. */
  keyForMs: number;
  /** Public origin of the console. */
  publicUrl: string;
}
