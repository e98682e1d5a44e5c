import { expect, test } from 'vitest';
import { adminTexts } from './admin.ts';
import { keyTexts } from './keys.ts';

test('uses the role names of the API and the command', () => {
  for (const [role, label] of Object.entries(keyTexts.roles)) expect(label.toLowerCase()).toBe(role);
  expect(adminTexts.notOperator).toContain('role “admin”');
  expect(adminTexts.refusals.forbidden).toContain('role “admin”');
});
