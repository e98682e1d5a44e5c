import { expect, test } from 'vitest';
import { adminTexts } from './admin.ts';
import { keyTexts } from './keys.ts';

test('roles have the names that the API and the command have for them', () => {
  for (const [role, label] of Object.entries(keyTexts.roles)) expect(label.toLowerCase()).toBe(role);
  expect(adminTexts.notOperator).toContain('role “admin”');
  expect(adminTexts.refusals.forbidden).toContain('role “admin”');
});
