import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import type { Target } from '../kit/target.ts';

const INTERFACE = [
  'get /devices',
  'post /devices/{device_id}/connect',
  'post /sessions/{session_id}/disconnect',
];
const OTHER_ROUTES = [
  'delete /apps/{app_id}',
  'get /apps',
  'get /apps/{app_id}',
  'get /apps/{app_id}/icon',
  'post /apps',
  'post /sessions/{session_id}/apps',
  'get /devices/{device_id}',
  'get /sessions',
  'get /sessions/{session_id}',
  'get /sessions/{session_id}/screenshot',
  'get /usage',
  'post /sessions/{session_id}/extend',
  'delete /admin/devices/{device_id}',
  'delete /admin/hosts/{host_id}',
  'delete /admin/keys/{key_id}',
  'delete /keys/{key_id}',
  'get /admin/accounts',
  'get /admin/accounts/{account_id}/keys',
  'get /admin/audit',
  'get /admin/devices',
  'get /admin/hosts',
  'get /admin/sessions',
  'get /admin/utilisation',
  'get /keys',
  'get /usage/days',
  'patch /admin/accounts/{account_id}',
  'patch /admin/devices/{device_id}',
  'post /admin/accounts',
  'post /admin/accounts/{account_id}/keys',
  'post /admin/devices/{device_id}/release',
  'post /admin/hosts',
  'post /keys',
];

/**
 * Tests of the documents that the service publishes about itself. Every other request also validates the OpenAPI
 * document.
 */
export function documentsSuite(target: Target): void {
  describe('public documents', () => {
    test('/openapi.json is valid OpenAPI 3.1', async () => {
      const { document } = target.api.description;
      expect(document.openapi).toMatch(/^3\.1\./);
      const result = await new Validator().validate(structuredClone(document) as never);
      expect(result.errors).toBeUndefined();
      expect(result.valid).toBe(true);
    });

    test('/openapi.json describes every operation, its security and its parameters', async () => {
      const { document } = target.api.description;
      const described = Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method} ${path}`),
      );
      expect(described).toEqual(expect.arrayContaining([...INTERFACE, ...OTHER_ROUTES]));
      const { security, components } = document as never as { security: object[]; components: object };
      expect(security).toEqual([{ apiKey: [] }]);
      expect(components).toMatchObject({ securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } });
      const list = document.paths['/devices']!.get as never as {
        parameters: { name: string; required?: boolean; schema: object }[];
      };
      expect(list.parameters.filter(({ required }) => required).map(({ name }) => name)).toEqual([]);
      const byName = Object.fromEntries(list.parameters.map(({ name, schema }) => [name, schema]));
      expect(Object.keys(byName).sort()).toEqual([
        ...['brand', 'kind', 'os_version', 'page', 'page_size', 'platform', 'status'],
      ]);
      expect(byName.page).toMatchObject({ minimum: 1, default: 1 });
      expect(byName.page_size).toMatchObject({ minimum: 1, maximum: 100, default: 20 });
    });

    test('/openapi.json does not require a body for a connect', () => {
      const connect = target.api.description.document.paths['/devices/{device_id}/connect']!
        .post as never as {
        requestBody: { required?: boolean; content: Record<string, { schema: { required?: string[] } }> };
      };
      expect(connect.requestBody.required ?? false).toBe(false);
      expect(connect.requestBody.content['application/json']!.schema.required ?? []).toEqual([]);
    });

    test('/livez and /readyz report liveness and readiness without authentication', async () => {
      for (const path of ['/livez', '/readyz']) {
        const { status, bytes } = await target.api.fetch(path);
        expect(status).toBe(200);
        expect(JSON.parse(bytes.toString())).toEqual({ code: 0, message: 'success', data: {} });
      }
    });

    test('/ is the console for browsers and an API index for other clients', async () => {
      const browser = await target.api.fetch('/', { accept: 'text/html,*/*;q=0.8' });
      expect(browser.headers['content-type']).toMatch(/^text\/html/);
      const { status, bytes } = await target.api.fetch('/', { accept: '*/*' });
      expect(status).toBe(200);
      const { code, message, data } = JSON.parse(bytes.toString());
      expect({ code, message, name: data.name }).toEqual({ code: 0, message: 'success', name: 'Phonebooth' });
      expect(new URL(target.api.baseUrl).pathname).toBe(data.api);
      for (const path of [data.docs, data.openapi, data.asyncapi]) {
        expect((await target.api.fetch(path)).status, path).toBe(200);
      }
    });

    test('/docs is the documentation, and /docs/api/ the reference', async () => {
      const page = async (path: string) => {
        const first = await target.api.fetch(path, { accept: 'text/html' });
        const last =
          first.status === 302
            ? await target.api.fetch(String(first.headers.location), { accept: 'text/html' })
            : first;
        expect(last.status).toBe(200);
        expect(last.headers['content-type']).toMatch(/^text\/html/);
        return last.bytes.toString();
      };
      expect(await page('/docs')).toContain('Phonebooth documentation');
      expect(await page('/docs/getting-started')).toContain('npm start');
      expect(await page('/docs/api/')).toContain('/docs/api/devices/#list-devices');
    });

    test('/asyncapi.json is public and names the hosts in the sessions’ socket addresses', async () => {
      const { status, bytes } = await target.api.fetch('/asyncapi.json');
      expect(status).toBe(200);
      const { asyncapi, servers, channels } = JSON.parse(bytes.toString());
      expect(asyncapi).toBe('3.1.0');
      expect(Object.keys(channels)).toEqual(['stream', 'control', 'adb']);
      expect(servers.stream.protocol).toBe('wss');
      expect(servers.stream.host).not.toBe(servers.control.host);
    });
  });
}
