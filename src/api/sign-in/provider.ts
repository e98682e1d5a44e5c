import * as oidc from 'openid-client';
import { SIGN_IN_PATHS } from '../../contract/http/sign-in.ts';
import { type Identity, identityOf } from './identity.ts';
import { problemOf, SignInError } from './problem.ts';
import type { SignInSettings } from './settings.ts';

/** Timeout of each request to the provider. */
const TIMEOUT_S = 10;
/** Maximum age of the cached provider metadata. Its endpoints and keys may change. */
const CACHE_MS = 3_600_000;

/** The values needed to verify the response when the browser returns. */
export interface Attempt {
  state: string;
  nonce: string;
  verifier: string;
}

/**
 * The identity provider. Its metadata is fetched at the first sign-in, so that the service can start while the
 * provider is down. A successful response is cached; a failure is not.
 */
export class IdentityProvider {
  private readonly settings: SignInSettings;
  private readonly redirectUri: string;
  private known: { configuration: Promise<oidc.Configuration>; until: number } | null = null;

  constructor(settings: SignInSettings) {
    this.settings = settings;
    this.redirectUri = `${settings.publicUrl}${SIGN_IN_PATHS.callback}`;
  }

  /** Starts an attempt and returns the URL to redirect the browser to. @throws SignInError */
  async begin(): Promise<{ url: string; attempt: Attempt }> {
    const configuration = await this.configuration();
    const attempt = {
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier(),
    };
    const url = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: this.redirectUri,
      scope: this.settings.scopes,
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, attempt };
  }

  /**
   * Identifies the user who returned, from the query with which the provider redirected the browser. @throws
   * SignInError
   */
  async identify(query: string, { state, nonce, verifier }: Attempt): Promise<Identity> {
    // The state belongs to another attempt or to none. The library would only report a generic error.
    if (new URLSearchParams(query).get('state') !== state) throw new SignInError('expired');
    const configuration = await this.configuration();
    try {
      const tokens = await oidc.authorizationCodeGrant(
        configuration,
        new URL(`${this.redirectUri}?${query}`),
        { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
      );
      const claims = tokens.claims()!;
      const userInfo = configuration.serverMetadata().userinfo_endpoint
        ? await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub)
        : {};
      return identityOf(claims, userInfo, this.settings.groupsClaim);
    } catch (error) {
      throw error instanceof SignInError ? error : new SignInError(problemOf(error), error);
    }
  }

  private async configuration(): Promise<oidc.Configuration> {
    const now = performance.now();
    if (!this.known || this.known.until < now) {
      const known = { configuration: this.discover(), until: now + CACHE_MS };
      known.configuration.catch(() => {
        if (this.known === known) this.known = null;
      });
      this.known = known;
    }
    return this.known.configuration;
  }

  private async discover(): Promise<oidc.Configuration> {
    const { issuer, clientId, clientSecret } = this.settings;
    const isInsecure = new URL(issuer).protocol === 'http:';
    try {
      return await oidc.discovery(new URL(issuer), clientId, undefined, authentication(clientSecret), {
        timeout: TIMEOUT_S,
        execute: [
          // Verifies the signatures of ID tokens, although they are received directly from the provider.
          oidc.enableNonRepudiationChecks,
          ...(isInsecure ? [oidc.allowInsecureRequests] : []),
        ],
      });
    } catch (error) {
      const problem = problemOf(error);
      throw new SignInError(problem === 'untrusted' ? 'misconfigured' : problem, error);
    }
  }
}

/**
 * Authenticates with a method that the provider supports; `client_secret_basic` if it lists none (OpenID Connect
 * Discovery 1.0, section 3).
 */
function authentication(secret: string | null): oidc.ClientAuth {
  if (secret === null) return oidc.None();
  const [basic, post] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}
