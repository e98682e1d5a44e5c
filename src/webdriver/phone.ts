import type { ControlParams, ControlResult, PhoneMethod } from '../contract/sockets/control-methods.ts';
import type { ControlNotifications } from '../contract/sockets/control-notifications.ts';
import type { JsonObject } from './protocol/values.ts';

export interface Size {
  width: number;
  height: number;
}

export interface Rect extends Size {
  x: number;
  y: number;
}

export type LogLine = ControlNotifications['log.line'];

/** The phone of a WebDriver session, as the commands use it. */
export interface AutomatedPhone {
  /** Size of the screen in pixels, in its current orientation. */
  readonly size: Size;
  /** @throws WebDriverError when the phone rejects the call or does not answer */
  call<M extends PhoneMethod>(method: M, params: ControlParams<M>): Promise<ControlResult<M>>;
  /** The screen as PNG, or the part of it that the rectangle covers, in pixels. */
  screenshot(area?: Rect): Promise<Uint8Array>;
  /** Installs an uploaded app of the account, and resolves with its package when it can be launched. */
  install(app: string): Promise<string>;
  /** The lines of the phone's log since the last call. The first call starts the log. */
  takeLog(): Promise<LogLine[]>;
  /** Lifts every finger that is down. */
  release(): Promise<void>;
}

/** The state of a WebDriver session between two commands. It is kept with the lease on the phone's host. */
export interface SessionState {
  /** Resolution of the device in portrait, `<width>x<height>`. */
  resolution: string;
  /** How long finding an element waits for it, ms. */
  implicitMs: number;
  pageLoadMs: number;
  scriptMs: number | null;
  /** Identifier of the session at the Appium server of the phone's host; null: the built-in driver is used. */
  appium: string | null;
}

/** One command of a client. */
export interface Command {
  /** Identifier of the session on the phone, to which element references are bound. */
  sessionId: string;
  /** Account whose share of the locating threads is used. */
  accountId: string;
  phone: AutomatedPhone;
  state: SessionState;
  /** Keeps a changed state for the commands that follow. */
  save(state: SessionState): Promise<void>;
  /** The parsed JSON body; an empty object if there was none. */
  body: Record<string, unknown>;
  /** The variable parts of the path. */
  params: Record<string, string>;
  /** Aborted when the client has disconnected or the deadline of the command has passed. */
  signal: AbortSignal;
}

export type Handler = (command: Command) => Promise<unknown>;

/** A `mobile:` command with its arguments, and the command of the client that contains them. */
export type MobileHandler = (args: JsonObject, command: Command) => Promise<unknown>;
