/** Tests that wait to hold, asked again by `look` whenever something has changed. */
export class Waiting {
  #all: { test: () => boolean; done: () => void }[] = [];

  look(): void {
    this.#all = this.#all.filter((one) => {
      if (!one.test()) return true;
      one.done();
      return false;
    });
  }

  until(what: string, test: () => boolean, ms: number): Promise<void> {
    if (test()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${what}: not within ${ms} ms`)), ms);
      this.#all.push({
        test,
        done: () => {
          clearTimeout(timer);
          resolve();
        },
      });
    });
  }
}
