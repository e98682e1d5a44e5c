/** The language and the time zone of a phone, in which it shows dates and times. */
export class Region {
  #locale = 'en-GB';
  #timeZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  #formats = this.#createFormats();

  get locale(): string {
    return this.#locale;
  }

  get timeZone(): string {
    return this.#timeZone;
  }

  /** @throws RangeError for a locale or a time zone that does not exist */
  set({ locale = this.#locale, timeZone = this.#timeZone }: { locale?: string; timeZone?: string }): void {
    this.#locale = locale;
    this.#timeZone = timeZone;
    this.#formats = this.#createFormats();
  }

  /** Such as `10:08` or `10:08 AM`. */
  time(date: Date): string {
    return this.#formats.time.format(date);
  }

  /** The time in another time zone. */
  timeIn(timeZone: string, date: Date): string {
    return date.toLocaleTimeString(this.#locale, { hour: 'numeric', minute: '2-digit', timeZone });
  }

  /** Such as `Thursday 14 May`. */
  day(date: Date): string {
    return this.#formats.day.format(date);
  }

  /** Hours from 0 to 23, and minutes. */
  clock(date: Date): { hours: number; minutes: number } {
    const [hours = 0, minutes = 0] = this.#formats.clock.format(date).split(':').map(Number);
    return { hours, minutes };
  }

  /** Name of the language in English, such as `English (United Kingdom)`. */
  get language(): string {
    const names = new Intl.DisplayNames('en', { type: 'language', languageDisplay: 'standard' });
    return names.of(this.#locale) ?? this.#locale;
  }

  #createFormats() {
    const zone = { timeZone: this.#timeZone };
    const format = (locale: string, options: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat(locale, { ...options, ...zone });
    return {
      time: format(this.#locale, { hour: 'numeric', minute: '2-digit' }),
      day: format(this.#locale, { weekday: 'long', day: 'numeric', month: 'long' }),
      clock: format('en-GB', { hour: '2-digit', minute: '2-digit' }),
    };
  }
}
