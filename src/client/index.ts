/** The SDK, `phonebooth/client`: for browsers and Node. */

export type { Artifact } from '../contract/http/artifact.ts';
export type { Device } from '../contract/http/device.ts';
export type { Session } from '../contract/http/session.ts';
export type { UiNode } from '../contract/sockets/control-methods.ts';
export type { MediaPacket, SessionPacket, StreamPacket } from '../contract/sockets/stream-packets.ts';
export type { ArtifactDownload, DownloadArtifactOptions, WaitForRecordingOptions } from './artifacts.ts';
export type { BorrowOptions } from './borrow.ts';
export { ControlError } from './control-socket.ts';
export type { CallOptions, InstallOptions } from './phone-controls.ts';
export { PhoneSession } from './phone-session.ts';
export { Phonebooth, type PhoneboothOptions } from './phonebooth.ts';
export { PhoneboothClient } from './phonebooth-client.ts';
export type { Recording, RecordingResult } from './recording/record-stream.ts';
export type { RecordingFile, RecordingStorage } from './recording/recording-storage.ts';
export type { WriteOptions } from './request.ts';
export {
  isServiceError,
  ServiceError,
  type ServiceErrorData,
  type ServiceErrorKind,
} from './service-error.ts';
export { SessionEndedError } from './session-ended-error.ts';
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookMessage,
  WebhookVerificationError,
} from './verify-webhook.ts';
