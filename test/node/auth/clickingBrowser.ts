/** A minimal browser for signing in: follows redirects, keeps cookies, and presses the button of each page. */
export class ClickingBrowser {
  readonly #cookies = new Map<string, string>();
  /** The titles of the pages, in order. */
  readonly titles: string[] = [];

  /** Opens the address and continues until a page has no button. */
  async visit(url: string): Promise<void> {
    let at = new URL(url);
    let method = 'GET';
    for (let steps = 0; steps < 30; steps++) {
      const response = await fetch(at, { method, redirect: 'manual', headers: { cookie: this.#cookieHeader() } });
      this.#keep(response.headers.getSetCookie());
      const text = await response.text();
      const location = response.headers.get('location');
      method = 'GET';
      if (location !== null) {
        at = new URL(location, at);
        continue;
      }
      this.titles.push(/<title>(.*?)<\/title>/.exec(text)?.[1] ?? `HTTP ${response.status}: ${text.slice(0, 200)}`);
      const action = /<form method="post" action="([^"]*)"/.exec(text)?.[1];
      if (action === undefined) return;
      at = new URL(action, at);
      method = 'POST';
    }
    throw new Error('redirected without an end');
  }

  #cookieHeader(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  #keep(lines: readonly string[]): void {
    for (const line of lines) {
      const [pair = ''] = line.split(';', 1);
      const equals = pair.indexOf('=');
      const [name, value] = [pair.slice(0, equals), pair.slice(equals + 1)];
      if (value === '' || /expires=Thu, 01 Jan 1970/i.test(line)) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
  }
}
