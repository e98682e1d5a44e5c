import { parseCookie, type SetCookie, stringifySetCookie } from 'cookie';

/** An HttpOnly cookie of this service. */
export class Cookie {
  /**
   * With TLS, the name has the prefix `__Host-`: browsers accept such a cookie only over TLS and from this exact
   * host. A sibling domain or a machine on the network path cannot replace it (RFC 6265bis, section 4.1.3.2).
   */
  readonly name: string;
  private readonly attributes: Omit<SetCookie, 'value'>;

  /**
   * @param options `sameSite`: whether the browser sends the cookie when a page of another site navigates here (Lax)
   * or not (Strict). `seconds`: how long the browser keeps it; null: until the browser is closed.
   */
  constructor(
    name: string,
    {
      sameSite,
      seconds,
      isSecure,
    }: { sameSite: 'Lax' | 'Strict'; seconds: number | null; isSecure: boolean },
  ) {
    this.name = isSecure ? `__Host-${name}` : name;
    this.attributes = {
      name: this.name,
      path: '/',
      httpOnly: true,
      secure: isSecure,
      ...(seconds === null ? {} : { maxAge: seconds }),
      sameSite: sameSite === 'Lax' ? 'lax' : 'strict',
    };
  }

  /** Value of a `Set-Cookie` header that sets the cookie. */
  setHeader(value: string): string {
    return stringifySetCookie({ ...this.attributes, value });
  }

  /** Value of a `Set-Cookie` header that deletes the cookie. */
  get deleteHeader(): string {
    return stringifySetCookie({ ...this.attributes, value: '', maxAge: 0 });
  }

  /** The value of the cookie in a `Cookie` header; null if it is absent. */
  read(header: string | undefined): string | null {
    return parseCookie(header ?? '')[this.name] || null;
  }
}
