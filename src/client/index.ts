/** The SDK, `phonebooth/client`: for browsers and Node. */
export { ControlError } from './control-socket.ts';
export { type InstallOptions, PhoneSession, SessionEndedError } from './phone-session.ts';
export { Phonebooth, type PhoneboothOptions } from './phonebooth.ts';
export { PhoneboothClient } from './phonebooth-client.ts';
export { ServiceError } from './service-error.ts';
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookMessage,
  WebhookVerificationError,
} from './verify-webhook.ts';
