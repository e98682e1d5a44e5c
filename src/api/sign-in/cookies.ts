/** A cookie of this service, which no script of a page can read. */
export class Cookie {
  /**
   * Where there is TLS its name says that it came over TLS, and from this very host: nobody who has a neighbouring name, or a
   * place on the way, can put another in its place (RFC 6265bis, section 4.1.3.2).
   */
  readonly name: string;
  private readonly attributes: string;
  private readonly seconds: number;

  /** `sameSite`: whether it comes along when a page of another site leads here (Lax), or never from there (Strict). */
  constructor(
    name: string,
    { sameSite, seconds, isSecure }: { sameSite: 'Lax' | 'Strict'; seconds: number; isSecure: boolean },
  ) {
    this.name = isSecure ? `__Host-${name}` : name;
    this.attributes = `Path=/; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`;
    this.seconds = seconds;
  }

  /** For `Set-Cookie`. */
  holding(value: string): string {
    return `${this.name}=${value}; Max-Age=${this.seconds}; ${this.attributes}`;
  }

  /** The same, so that the browser forgets it. */
  get gone(): string {
    return `${this.name}=; Max-Age=0; ${this.attributes}`;
  }

  /** What a `Cookie` header has of it. */
  in(header: string | undefined): string | null {
    const own = (header ?? '')
      .split(';')
      .map((part) => part.trim())
      .find((part) => part.startsWith(`${this.name}=`));
    return own?.slice(this.name.length + 1) || null;
  }
}
