import { ApiError } from '../contract/http/errors.ts';
import { includesRole, type Role } from '../contract/http/key.ts';
import type { Operation } from '../contract/http/operation.ts';

/** @throws ApiError 40003 when a key with this role cannot perform operations with this access */
export function authorise(role: Role, access: Operation['access']): void {
  if (access === 'borrow' && !includesRole(role, 'user')) {
    throw new ApiError(
      'forbidden',
      'the role of this key is read-only; use a key with the role user or admin',
    );
  }
  if (access === 'admin' && !includesRole(role, 'admin')) {
    throw new ApiError('forbidden', 'this operation is for operators; use a key with the role admin');
  }
}
