import { beforeEach, describe, expect, test } from 'vitest';
import { type Touch, TouchTracker } from './touch-tracker.ts';

let sent: Touch[];
let tracker: TouchTracker;
const short = () => sent.map(({ action, pointer, x, y }) => `${action} ${pointer} ${x},${y}`);

beforeEach(() => {
  sent = [];
  tracker = new TouchTracker((touch) => sent.push(touch));
});

describe('TouchTracker', () => {
  test('sends only the last of many moves, when flushed', () => {
    tracker.down(7, { x: 0.1, y: 0.1 });
    tracker.move(7, { x: 0.2, y: 0.2 });
    tracker.move(7, { x: 0.3, y: 0.3 });
    expect(short()).toEqual(['down 0 0.1,0.1']);
    tracker.flush();
    tracker.flush();
    expect(short()).toEqual(['down 0 0.1,0.1', 'move 0 0.3,0.3']);
  });

  test('preserves the order of moves and later actions', () => {
    tracker.down(7, { x: 0.1, y: 0.1 });
    tracker.up(7, { x: 0.4, y: 0.4 });
    expect(short()).toEqual(['down 0 0.1,0.1', 'move 0 0.4,0.4', 'up 0 0.4,0.4']);
  });

  test('assigns the lowest free pointer id and reuses released ids', () => {
    tracker.down(100, { x: 0, y: 0 });
    tracker.down(101, { x: 0, y: 0 });
    tracker.up(100, { x: 0, y: 0 });
    tracker.down(102, { x: 0, y: 0 });
    expect(sent.map(({ action, pointer }) => `${action} ${pointer}`)).toEqual([
      'down 0',
      'down 1',
      'up 0',
      'down 0',
    ]);
  });

  test('ignores an eleventh finger', () => {
    for (let id = 0; id < 11; id += 1) tracker.down(id, { x: 0, y: 0 });
    tracker.up(10, { x: 0, y: 0 });
    expect(sent.map(({ pointer }) => pointer)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('mirrors the two fingers of a pinch until both lift', () => {
    tracker.down(1, { x: 0.25, y: 0.5 }, { pinch: true });
    tracker.move(1, { x: 0.125, y: 0.5 });
    tracker.up(1, { x: 0.125, y: 0.5 });
    expect(short()).toEqual([
      'down 0 0.25,0.5',
      'down 1 0.75,0.5',
      'move 0 0.125,0.5',
      'move 1 0.875,0.5',
      'up 0 0.125,0.5',
      'up 1 0.875,0.5',
    ]);
  });

  test('cancels a pointer once when the browser takes it over', () => {
    tracker.down(1, { x: 0.5, y: 0.5 });
    tracker.cancel(1);
    tracker.cancel(1);
    tracker.up(1, { x: 0.5, y: 0.5 });
    expect(short()).toEqual(['down 0 0.5,0.5', 'cancel 0 0.5,0.5']);
    expect(tracker.isTouching).toBe(false);
  });

  test('sends nothing for a mouse that only hovers', () => {
    tracker.move(1, { x: 0.5, y: 0.5 });
    tracker.flush();
    tracker.up(1, { x: 0.5, y: 0.5 });
    expect(sent).toEqual([]);
  });
});
