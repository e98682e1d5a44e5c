import { describe, expect, test } from 'vitest';
import { makeApk, makeForm, makePng, makeZip, sha256 } from '../../fixtures/apk.ts';
import {
  type Answer,
  type App,
  type Page,
  refused,
  refusedField,
  type Session,
  succeeded,
} from '../kit/api.ts';
import { type BorrowRequest, borrow, borrowConnected } from '../kit/borrow.ts';
import { Controller } from '../kit/controller.ts';
import type { Target } from '../kit/target.ts';
import { until } from '../kit/wait.ts';

const RAW = { 'content-type': 'application/octet-stream' };
/** Returns a different package name each time, because an upload of the same content returns the existing app. */
const another = () => `com.example.test${Math.random().toString(36).slice(2)}`;

interface Node {
  role: string;
  text?: string;
  bounds: { x: number; y: number; width: number; height: number };
  children?: Node[];
}
const flatten = (node: Node): Node[] => [node, ...(node.children ?? []).flatMap(flatten)];

/** Defines the tests of uploading, listing, deleting and installing apps. */
export function appsSuite(target: Target): void {
  const upload = (body: Buffer, headers: Record<string, string> = RAW, api = target.api) =>
    api.request<App>('POST', '/apps', { body, headers });
  const uploaded = async (options: Parameters<typeof makeApk>[0] = {}): Promise<App> =>
    succeeded(await upload(makeApk({ packageName: another(), ...options })));
  const remove = (id: string) => target.api.request('DELETE', `/apps/${id}`);

  describe('POST /apps', () => {
    const labelled = (packageName: string) =>
      makeApk({
        packageName,
        labels: { '': 'Sample', de: 'Beispiel' },
        version: '3.2.1',
        versionCode: 321,
        minSdk: 21,
        icons: [{ density: 480, file: 'res/icon.png', bytes: makePng(96, '#22aa44') }],
      });

    test.each([
      ['as a raw body', (apk: Buffer) => ({ body: apk, headers: RAW })],
      [
        'with the media type of APKs',
        (apk: Buffer) => ({
          body: apk,
          headers: { 'content-type': 'application/vnd.android.package-archive' },
        }),
      ],
      [
        'as the file of a form',
        (apk: Buffer) => makeForm([{ name: 'file', filename: 'app.apk', content: apk }]),
      ],
    ])('accepts a file %s and reports its metadata', async (_, send) => {
      const name = another();
      const apk = labelled(name);
      const { body, headers } = send(apk);
      const app = succeeded(await upload(body, headers));
      expect(app).toEqual({
        id: expect.stringMatching(/^app_/),
        name: 'Sample',
        package: name,
        version: '3.2.1',
        version_code: 321,
        min_sdk: 21,
        size: expect.any(Number),
        sha256: sha256(apk),
        created_at: expect.any(String),
        icon_url: `/apps/${app.id}/icon`,
      });
      expect(succeeded(await target.api.get<App>(`/apps/${app.id}`))).toEqual(app);
      const icon = await target.api.get(app.icon_url!);
      expect(icon.headers['content-type']).toBe('image/png');
      expect(app.size).toBe(apk.length + icon.bytes.length);
      expect(icon.bytes).toEqual(makePng(96, '#22aa44'));
      succeeded(await remove(app.id));
    });

    test('accepts a file with splits', async () => {
      const packageName = another();
      const bundle = makeZip({
        'base.apk': makeApk({ packageName, label: 'In parts' }),
        'split_config.de.apk': makeApk({ packageName, split: 'config.de' }),
      });
      const app = succeeded(await upload(bundle));
      expect(app).toMatchObject({ name: 'In parts', package: packageName, sha256: sha256(bundle) });
      succeeded(await remove(app.id));
    });

    test('returns the same app for the same bytes', async () => {
      const apk = makeApk({ packageName: another() });
      const app = succeeded(await upload(apk));
      expect(succeeded(await upload(apk))).toEqual(app);
      succeeded(await remove(app.id));
    });

    test('replays the response for the same idempotency key, and answers 40012 for another file', async () => {
      const headers = { ...RAW, 'idempotency-key': crypto.randomUUID() };
      const apk = makeApk({ packageName: another() });
      const app = succeeded(await upload(apk, headers));
      expect(succeeded(await upload(apk, headers))).toEqual(app);
      refused(await upload(makeApk({ packageName: another() }), headers), 409, 40012);
      succeeded(await remove(app.id));
    });

    test.each([
      ['text', Buffer.from('hello')],
      ['another zip', makeZip({ 'a.txt': Buffer.from('hello') })],
      ['a truncated APK', makeApk().subarray(0, 200)],
      ['a split without its base', makeApk({ split: 'config.de' })],
      ['an empty body', Buffer.alloc(0)],
    ])('rejects a file that is not an app: %s', async (_, bytes) => {
      refusedField(await upload(bytes), 'body');
      const { body, headers } = makeForm([{ name: 'file', filename: 'a.apk', content: bytes }]);
      refusedField(await upload(body, headers), 'body');
    });

    test.each([
      ['a field in addition to the file', [{ name: 'note', content: 'x' }], 'body.note'],
      ['no file', [], 'body.file'],
      [
        'two files',
        [
          { name: 'a', filename: 'a.apk', content: makeApk() },
          { name: 'b', filename: 'b.apk', content: makeApk() },
        ],
        'body',
      ],
    ])('rejects a form with %s', async (_, parts, field) => {
      const { body, headers } = makeForm(parts);
      refusedField(await upload(body, headers), field);
    });

    test.each([
      ['JSON', { 'content-type': 'application/json' }],
      ['curl’s default content type', { 'content-type': 'application/x-www-form-urlencoded' }],
      ['no media type', {}],
    ])('rejects %s and lists the accepted types', async (_, headers) => {
      const answer = await upload(makeApk(), headers as Record<string, string>);
      refused(answer, 415, 40016);
      expect(answer.message).toContain('multipart/form-data');
    });

    test('rejects a truncated form', async () => {
      const { body, headers } = makeForm([{ name: 'file', filename: 'a.apk', content: makeApk() }]);
      refusedField(await upload(body.subarray(0, body.length - 50), headers), 'body');
    });

    test('rejects a request without a body', async () => {
      const answer = await target.api.request('POST', '/apps');
      refused(answer, 400, 40000);
    });
  });

  describe('the apps of an account', () => {
    test('are listed newest first, page by page', async () => {
      const before = succeeded(await target.api.get<Page<App>>('/apps?page_size=1')).total;
      const apps = [await uploaded(), await uploaded(), await uploaded()].reverse();
      const page = succeeded(await target.api.get<Page<App>>('/apps?page_size=2'));
      expect(page).toEqual({ total: before + 3, page: 1, page_size: 2, items: apps.slice(0, 2) });
      const next = succeeded(await target.api.get<Page<App>>('/apps?page_size=2&page=2'));
      expect(next.items[0]).toEqual(apps[2]);
      for (const { id } of apps) succeeded(await remove(id));
      expect(succeeded(await target.api.get<Page<App>>('/apps')).total).toBe(before);
    });

    test('disappear when they are deleted, and an unknown app is 40006', async () => {
      const { id, icon_url } = await uploaded({
        icons: [{ density: 0, file: 'i.png', bytes: makePng(8, '#000000') }],
      });
      expect(succeeded(await remove(id))).toEqual({});
      const nullByte = target.rejectsNullBytes ? [] : ['%00'];
      for (const gone of [id, 'unknown', ...nullByte, 'x'.repeat(1000)]) {
        refused(await target.api.get(`/apps/${gone}`), 404, 40006);
        refused(await remove(gone), 404, 40006);
      }
      refused(await target.api.get(icon_url!), 404, 40006);
    });

    test('have no icon URL without a bitmap icon', async () => {
      const app = await uploaded();
      expect(app.icon_url).toBeNull();
      refused(await target.api.get(`/apps/${app.id}/icon`), 404, 40006);
      succeeded(await remove(app.id));
    });
  });

  describe('an app on a phone', () => {
    const settled = (session: Session) =>
      until('the install to finish', async () => {
        const now = succeeded(await target.api.get<Session>(`/sessions/${session.session_id}`));
        return (now.app_status === 'installed' || now.app_status === 'failed') && now;
      });
    const control = (loan: BorrowRequest) => Controller.ready(loan.session.control_url, target);
    const packagesOn = async (controller: Controller): Promise<string[]> => {
      const { apps } = await controller.call('app.list');
      return apps.map((app: { package: string }) => app.package);
    };
    const progressOf = (controller: Controller, app: App) =>
      controller.notifications
        .filter(({ method, params }) => method === 'app.progress' && params.app_id === app.id)
        .map(({ params }) => params);
    const install = (session: Session, appId: string, headers = {}): Promise<Answer<Session>> =>
      target.api.post(`/sessions/${session.session_id}/apps`, { app_id: appId }, { headers });

    test('is installed at connect, can be opened and is removed before the next session', async () => {
      const app = await uploaded({
        label: 'Greeter',
        icons: [{ density: 0, file: 'i.png', bytes: makePng(96, '#22aa44') }],
      });
      await using loan = await borrow(target.api, { duration: 5, app_id: app.id });
      expect(loan.session).toMatchObject({ app_id: app.id, app_status: 'pending', app_error: null });
      await using controller = await control(loan);
      const { params } = await controller.notified('app.progress', ({ state }) => state === 'installed');
      expect(params).toEqual({ app_id: app.id, state: 'installed', percent: 100 });
      expect(await settled(loan.session)).toMatchObject({ app_status: 'installed', app_error: null });
      expect((await controller.call('app.list')).apps).toContainEqual({
        package: app.package,
        label: 'Greeter',
        system: false,
      });
      await controller.call('app.launch', { package: app.package });
      const screen = await until('the app to appear on the screen', async () => {
        const nodes = flatten((await controller.call('ui.tree')).root).map(({ text }) => text);
        return nodes.includes('1.0') && nodes;
      });
      expect(screen).toEqual(expect.arrayContaining(['Greeter', '1.0', app.package]));
      succeeded(await target.api.post(`/sessions/${loan.session.session_id}/disconnect`));
      succeeded(await remove(app.id));

      const again = await until('the same phone to be available', async () => {
        const answer = await target.api.post<Session>(`/devices/${loan.device.id}/connect`, { duration: 1 });
        return answer.code === 0 && answer.data;
      });
      await using next = await Controller.ready(again.control_url, target);
      expect(await packagesOn(next)).not.toContain(app.package);
      succeeded(await target.api.post(`/sessions/${again.session_id}/disconnect`));
    });

    test('that the phone rejects does not end the session, and the phone’s message is in app_error and app.progress', async () => {
      const app = await uploaded({ minSdk: 10_000 });
      await using loan = await borrow(target.api, { duration: 5, app_id: app.id });
      await using controller = await control(loan);
      const { params } = await controller.notified('app.progress', ({ state }) => state === 'failed');
      expect(params.message).toMatch(/^INSTALL_FAILED_OLDER_SDK/);
      const session = await settled(loan.session);
      expect(session).toMatchObject({ status: 'connected', app_status: 'failed', app_error: params.message });
      const { error } = await controller.request('app.install', { app_id: app.id });
      expect(error).toMatchObject({ code: -32002, message: params.message });
      succeeded(await remove(app.id));
    });

    test('is installed on a live session, once per idempotency key', async () => {
      const app = await uploaded();
      await using loan = await borrowConnected(target.api);
      await using controller = await control(loan);
      const headers = { 'idempotency-key': crypto.randomUUID() };
      const accepted = succeeded(await install(loan.session, app.id, headers));
      expect(accepted).toMatchObject({ app_id: app.id, app_status: 'pending' });
      await controller.notified('app.progress', ({ state }) => state === 'installed');
      expect(await settled(loan.session)).toMatchObject({ app_status: 'installed' });
      expect(succeeded(await install(loan.session, app.id, headers)).app_status).toBe('installed');
      const other = await uploaded();
      refused(await install(loan.session, other.id, headers), 409, 40012);
      succeeded(await remove(other.id));
      expect(await packagesOn(controller)).toContain(app.package);
      succeeded(await remove(app.id));
    });

    test('is installed over the control socket, with progress, and uninstalled', async () => {
      const app = await uploaded({ label: 'By hand' });
      await using loan = await borrowConnected(target.api);
      await using controller = await control(loan);
      expect(await controller.call('app.install', { app_id: app.id })).toBeNull();
      const progress = progressOf(controller, app);
      expect(progress[0]).toEqual({ app_id: app.id, state: 'installing', percent: 0 });
      expect(progress.at(-1)).toEqual({ app_id: app.id, state: 'installed', percent: 100 });
      const percents = progress.map(({ percent }) => percent);
      expect(percents).toEqual([...percents].sort((a, b) => a - b));
      // A newly borrowed phone is locked. Launching an app unlocks it.
      await controller.call('app.launch', { package: app.package });
      await controller.call('key', { key: 'HOME' });
      await until('the icon to appear on the home screen', async () => {
        const { root } = await controller.call('ui.tree');
        return flatten(root).some(({ role, text }) => role === 'icon' && text === 'By hand');
      });
      await controller.call('app.uninstall', { package: app.package });
      expect(await packagesOn(controller)).not.toContain(app.package);
      const { error } = await controller.request('app.uninstall', { package: app.package });
      expect(error).toMatchObject({ code: -32002 });
      succeeded(await remove(app.id));
    });

    test('that does not exist is rejected over HTTP and over the control socket', async () => {
      await using loan = await borrowConnected(target.api);
      await using controller = await control(loan);
      refused(await install(loan.session, 'app_unknown'), 404, 40006);
      refused(await install({ ...loan.session, session_id: 'ses_unknown' }, 'app_unknown'), 404, 40005);
      refusedField(await target.api.post(`/sessions/${loan.session.session_id}/apps`, {}), 'body.app_id');
      const { error } = await controller.request('app.install', { app_id: 'app_unknown' });
      expect(error).toMatchObject({ code: -32602, data: { code: 40006 } });
    });

    test('requires a connected session', async () => {
      const app = await uploaded();
      const { session } = await (async () => {
        await using loan = await borrow(target.api);
        const early = await install(loan.session, app.id);
        // The phone may already be ready
        if (early.code !== 0) refused(early, 409, 40014);
        return loan;
      })();
      refused(await install(session, app.id), 409, 40013);
      succeeded(await remove(app.id));
    });

    test('that is deleted right after the connect is still installed', async () => {
      const app = await uploaded();
      await using loan = await borrow(target.api, { duration: 5, app_id: app.id });
      succeeded(await remove(app.id));
      expect(await settled(loan.session)).toMatchObject({ app_status: 'installed' });
      refused(await target.api.post(`/devices/${loan.device.id}/connect`, { app_id: app.id }), 404, 40006);
    });
  });
}
