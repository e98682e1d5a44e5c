import { describe, expect, it } from 'vitest';
import { Calculation, evaluate } from './calculation.ts';

describe('a calculation', () => {
  it.each([
    ['1+2×3', 7],
    ['(1+2)×3', 9],
    ['10−4−3', 3],
    ['8÷4÷2', 1],
    ['−5+2', -3],
    ['2×(3+4', 14],
    ['.5+.5', 1],
  ])('%s is %d', (expression, value) => {
    expect(evaluate(expression)).toBe(value);
  });

  it.each(['1÷0', '1+', ')', '.', '2(3)'])('%s has no value', (expression) => {
    expect(evaluate(expression)).toBeNull();
  });

  it('continues from its result with an operator and starts over with a digit', () => {
    const calculation = new Calculation();
    for (const key of ['0', '.', '1', '+', '0', '.', '2', '=']) calculation.press(key);
    expect(calculation.expression).toBe('0.3');
    calculation.press('×');
    calculation.press('2');
    expect(calculation.preview).toBe('0.6');
    calculation.press('=');
    calculation.press('7');
    expect(calculation.expression).toBe('7');
  });

  it('uses the last of several operators and reports an undefined result', () => {
    const calculation = new Calculation();
    for (const key of ['6', '+', '÷', '0', '=']) calculation.press(key);
    expect(calculation.expression).toBe('Error');
  });
});
