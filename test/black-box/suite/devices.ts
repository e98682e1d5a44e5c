import { describe, expect, test } from 'vitest';
import { type Device, type Page, refused, refusedField, succeeded } from '../kit/api.ts';
import { borrow, freeDevice, listAll } from '../kit/borrow.ts';
import type { Target } from '../kit/target.ts';

const FIELDS = [
  ...['id', 'name', 'brand', 'model', 'os_version', 'screen_size', 'resolution', 'status'],
  ...['platform', 'kind'],
];

/** Interface document, 4.1: listing devices, their fields, filters and pages. */
export function devicesSuite(target: Target): void {
  const list = async (query = '') => succeeded(await target.api.get<Page<Device>>(`/devices${query}`));

  describe('the list of devices', () => {
    test('contains the documented fields in their formats', async () => {
      const devices = await listAll(target.api);
      expect(devices.length).toBeGreaterThan(0);
      for (const device of devices) {
        expect(Object.keys(device)).toEqual(expect.arrayContaining(FIELDS));
        for (const field of FIELDS) expect(device[field as keyof Device]).toMatch(/\S/);
        expect(device.brand).toBe(device.brand.toLowerCase());
        expect(device.screen_size).toMatch(/^\d+(\.\d+)?$/);
        expect(device.resolution).toMatch(/^\d+x\d+$/);
        expect(['available', 'busy']).toContain(device.status);
      }
      expect(new Set(devices.map(({ id }) => id)).size).toBe(devices.length);
    });

    test('defaults to page 1 with 20 items', async () => {
      const page = await list();
      expect(page).toMatchObject({ page: 1, page_size: 20 });
      expect(page.items).toHaveLength(Math.min(20, page.total));
      expect(Object.keys(page).sort()).toEqual(['items', 'page', 'page_size', 'total']);
    });

    test('is sorted by id, and its pages contain each device once', async () => {
      const devices = await listAll(target.api);
      const ids = devices.map(({ id }) => id);
      expect(ids).toEqual([...ids].sort());
      const byOne: string[] = [];
      for (let page = 1; page <= Math.min(ids.length, 10); page++) {
        const { items, total } = await list(`?page=${page}&page_size=1`);
        expect(total).toBe(ids.length);
        byOne.push(...items.map(({ id }) => id));
      }
      expect(byOne).toEqual(ids.slice(0, 10));
    });

    test('reports the correct total and no items past its end', async () => {
      const { total } = await list();
      expect(await list('?page=1000000')).toEqual({ total, page: 1_000_000, page_size: 20, items: [] });
    });

    test.each([
      ['page=0', 'query.page'],
      ['page=-1', 'query.page'],
      ['page=1.5', 'query.page'],
      ['page=one', 'query.page'],
      ['page=', 'query.page'],
      ['page=1&page=2', 'query.page'],
      ['page=99999999999999999999', 'query.page'],
      ['page_size=0', 'query.page_size'],
      ['page_size=101', 'query.page_size'],
      ['page_size=1e1', 'query.page_size'],
      ['status=free', 'query.status'],
      ['brand=google&brand=sony', 'query.brand'],
      ['colour=red', 'query.colour'],
      ['Brand=google', 'query.Brand'],
    ])('rejects ?%s and names the field', async (query, field) => {
      refusedField(await target.api.get(`/devices?${query}`), field);
    });

    test('accepts the largest page size', async () => {
      expect((await list('?page_size=100')).page_size).toBe(100);
    });
  });

  describe('device filters', () => {
    test('match the brand case-insensitively and completely', async () => {
      const all = await listAll(target.api);
      const { brand } = all[0]!;
      const expected = all.filter((device) => device.brand === brand).map(({ id }) => id);
      for (const spelling of [brand, brand.toUpperCase(), brand[0]!.toUpperCase() + brand.slice(1)]) {
        const found = await listAll(target.api, `&brand=${encodeURIComponent(spelling)}`);
        expect(found.map(({ id }) => id)).toEqual(expected);
      }
      expect(await list('?brand=no-such-brand')).toMatchObject({ total: 0, items: [] });
      expect((await list(`?brand=${brand.slice(0, -1)}`)).items).toEqual([]);
      expect((await list('?brand=%25')).items).toEqual([]);
    });

    test('match the whole os_version', async () => {
      const all = await listAll(target.api);
      const { os_version } = all.at(-1)!;
      const found = await listAll(target.api, `&os_version=${os_version}`);
      expect(found.map(({ id }) => id)).toEqual(
        all.filter((device) => device.os_version === os_version).map(({ id }) => id),
      );
      expect((await list(`?os_version=${os_version}00`)).total).toBe(0);
    });

    test('can be combined, and an empty value does not filter', async () => {
      const all = await listAll(target.api);
      const { brand, os_version } = all[0]!;
      const both = await listAll(target.api, `&brand=${brand}&os_version=${os_version}&status=`);
      expect(both.map(({ id }) => id)).toEqual(
        all.filter((d) => d.brand === brand && d.os_version === os_version).map(({ id }) => id),
      );
      expect((await list('?brand=&os_version=&status=')).total).toBe(all.length);
      const otherBrand = all.find((device) => device.brand !== brand)?.brand ?? 'none';
      const otherVersions = all.filter((device) => device.brand === otherBrand).map((d) => d.os_version);
      if (!otherVersions.includes(os_version)) {
        expect((await list(`?brand=${otherBrand}&os_version=${os_version}`)).total).toBe(0);
      }
    });

    test('by status follow the current status of the device', async () => {
      await using loan = await borrow(target.api);
      const busy = await listAll(target.api, '&status=busy');
      expect(busy.map(({ id }) => id)).toContain(loan.device.id);
      expect(new Set(busy.map(({ status }) => status))).toEqual(new Set(['busy']));
      const available = await listAll(target.api, '&status=available');
      expect(available.map(({ id }) => id)).not.toContain(loan.device.id);
    });
  });

  describe('a single device', () => {
    test('equals the entry in the list', async () => {
      const device = await freeDevice(target.api);
      expect(succeeded(await target.api.get<Device>(`/devices/${device.id}`))).toMatchObject({
        ...device,
        status: expect.any(String),
      });
    });

    test.each([
      ['a word', 'nobody'],
      ['empty', ''],
      ['a path', 'a%2F..%2Fb'],
      ['not ASCII', '%F0%9F%93%B1'],
      ['a very long text', 'x'.repeat(2000)],
      ['an injection attempt', "'%20or%201=1--"],
    ])('is answered with 40004 if it does not exist: %s', async (_, id) => {
      refused(await target.api.get(`/devices/${id}`), 404, 40004);
    });
  });
}
