/** The file is not an Android app, or the app cannot be read. The message states the reason. */
export class ApkError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ApkError';
  }
}
