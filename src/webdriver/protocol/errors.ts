/** The errors of W3C WebDriver (section 6.6) that this service returns, with their HTTP status. */
export const WEBDRIVER_ERRORS = {
  'element not interactable': 400,
  'invalid argument': 400,
  'invalid selector': 400,
  'invalid session id': 404,
  'move target out of bounds': 500,
  'no such alert': 404,
  'no such element': 404,
  'no such window': 404,
  'session not created': 500,
  'stale element reference': 404,
  timeout: 500,
  'unable to capture screen': 500,
  'unknown command': 404,
  'unknown error': 500,
  'unknown method': 405,
  'unsupported operation': 500,
} as const;

export type WebDriverErrorName = keyof typeof WEBDRIVER_ERRORS;

/** An error whose message reaches the client, in the JSON form of W3C WebDriver. */
export class WebDriverError extends Error {
  readonly error: WebDriverErrorName;
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(
    error: WebDriverErrorName,
    message: string,
    {
      status = WEBDRIVER_ERRORS[error],
      headers = {},
    }: { status?: number; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.name = 'WebDriverError';
    this.error = error;
    this.status = status;
    this.headers = headers;
  }
}

export const invalidArgument = (message: string) => new WebDriverError('invalid argument', message);

export const unknownCommand = () =>
  new WebDriverError('unknown command', 'this command does not exist, or is not supported');
