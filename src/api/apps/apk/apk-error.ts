/** The file is no application for Android, or one that cannot be read. The message says what is wrong with it. */
export class ApkError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ApkError';
  }
}
