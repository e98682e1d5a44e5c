// AsyncDisposableStack, which Node has from version 24, for the package that also runs on Node 22.
// https://tc39.es/ecma262/#sec-asyncdisposablestack-objects
class Stack {
  #disposers = [];
  #isDisposed = false;

  get disposed() {
    return this.#isDisposed;
  }

  use(resource) {
    this.#check();
    if (resource === null || resource === undefined) return resource;
    const dispose = resource[Symbol.asyncDispose] ?? resource[Symbol.dispose];
    if (typeof dispose !== 'function') throw new TypeError('the object is not disposable');
    this.#disposers.push(() => dispose.call(resource));
    return resource;
  }

  adopt(value, onDispose) {
    this.defer(() => onDispose(value));
    return value;
  }

  defer(onDispose) {
    this.#check();
    this.#disposers.push(onDispose);
  }

  move() {
    this.#check();
    const moved = new Stack();
    moved.#disposers = this.#disposers;
    this.#disposers = [];
    this.#isDisposed = true;
    return moved;
  }

  async disposeAsync() {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    const errors = [];
    for (const dispose of this.#disposers.reverse()) {
      try {
        await dispose();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors, 'several resources could not be disposed');
  }

  [Symbol.asyncDispose]() {
    return this.disposeAsync();
  }

  #check() {
    if (this.#isDisposed) throw new ReferenceError('the stack is already disposed');
  }
}

export const AsyncDisposableStack = globalThis.AsyncDisposableStack ?? Stack;
