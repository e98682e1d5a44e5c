import type { ServiceError } from '../../client/service-error.ts';

/** Returns the service's message about the first invalid field, such as `is already used by another account; choose another name`. */
export function fieldMessage({ data, message }: ServiceError): string {
  const [first] = Array.isArray(data.errors) ? (data.errors as { message?: unknown }[]) : [];
  return (typeof first?.message === 'string' ? first.message : message).replace(/\.$/, '');
}
