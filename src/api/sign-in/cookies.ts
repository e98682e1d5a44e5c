/** An HttpOnly cookie of this service. */
export class Cookie {
  /**
   * With TLS, the name has the prefix `__Host-`: browsers accept such a cookie only over TLS and from this exact
   * host. A sibling domain or a machine on the network path cannot replace it (RFC 6265bis, section 4.1.3.2).
   */
  readonly name: string;
  private readonly attributes: string;
  private readonly seconds: number;

  /**
   * @param options `sameSite`: whether the browser sends the cookie when a page of another site navigates here (Lax)
   * or not (Strict)
   */
  constructor(
    name: string,
    { sameSite, seconds, isSecure }: { sameSite: 'Lax' | 'Strict'; seconds: number; isSecure: boolean },
  ) {
    this.name = isSecure ? `__Host-${name}` : name;
    this.attributes = `Path=/; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`;
    this.seconds = seconds;
  }

  /** Value of a `Set-Cookie` header that sets the cookie. */
  holding(value: string): string {
    return `${this.name}=${value}; Max-Age=${this.seconds}; ${this.attributes}`;
  }

  /** Value of a `Set-Cookie` header that deletes the cookie. */
  get gone(): string {
    return `${this.name}=; Max-Age=0; ${this.attributes}`;
  }

  /** The value of the cookie in a `Cookie` header; null if it is absent. */
  in(header: string | undefined): string | null {
    const own = (header ?? '')
      .split(';')
      .map((part) => part.trim())
      .find((part) => part.startsWith(`${this.name}=`));
    return own?.slice(this.name.length + 1) || null;
  }
}
