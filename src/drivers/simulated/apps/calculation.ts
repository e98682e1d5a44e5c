const MAX_LENGTH = 60;
const OPERATORS = '+−×÷';

/** The input of a calculator, and its result. */
export class Calculation {
  #expression = '';
  #done = false;

  get expression(): string {
    return this.#expression;
  }

  /** The current value; empty while there is nothing to compute. */
  get preview(): string {
    if (this.#done || !/[+−×÷(]/.test(this.#expression)) return '';
    const value = evaluate(this.#expression);
    return value === null ? '' : format(value);
  }

  press(key: string): void {
    if (key === 'C') this.#set('');
    else if (key === '⌫') this.#set(this.#done ? '' : this.#expression.slice(0, -1));
    else if (key === '=') this.#finish();
    else this.#append(key);
  }

  #append(key: string): void {
    const operator = OPERATORS.includes(key);
    const before = this.#done && !operator ? '' : this.#expression;
    if (operator && key !== '−' && before === '') return;
    const kept = operator && OPERATORS.includes(before.at(-1) ?? ' ') ? before.slice(0, -1) : before;
    if (kept.length < MAX_LENGTH) this.#set(kept + key);
  }

  #finish(): void {
    if (this.#expression === '') return;
    const value = evaluate(this.#expression);
    this.#set(value === null ? 'Error' : format(value));
    this.#done = true;
  }

  #set(expression: string): void {
    this.#expression = expression;
    this.#done = false;
  }
}

function format(value: number): string {
  return String(Number(value.toPrecision(12))).replace('-', '−');
}

/**
 * The value of an expression, or null if it has none. Uses recursive descent; the length of the expression bounds the
 * depth.
 */
export function evaluate(expression: string): number | null {
  let at = 0;
  const next = () => expression[at];

  function sum(): number {
    let value = product();
    while (next() === '+' || next() === '−')
      value = expression[at++] === '+' ? value + product() : value - product();
    return value;
  }
  function product(): number {
    let value = factor();
    while (next() === '×' || next() === '÷')
      value = expression[at++] === '×' ? value * factor() : value / factor();
    return value;
  }
  function factor(): number {
    if (next() === '−') {
      at++;
      return -factor();
    }
    if (next() === '(') {
      at++;
      const value = sum();
      if (next() === ')') at++;
      return value;
    }
    const [digits] = /^\d*\.?\d*/.exec(expression.slice(at)) ?? [''];
    at += digits.length;
    return digits === '' || digits === '.' ? Number.NaN : Number(digits);
  }

  const value = sum();
  return at === expression.length && Number.isFinite(value) ? value : null;
}
