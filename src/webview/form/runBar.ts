import { button, element, show } from '../shared/elements.ts';
import type { RunView } from './messages.ts';
import { outcome, seconds } from './resultView.ts';

const TICK_MS = 100;

/** The buttons that run and cancel, and how far a run is. */
export class RunBar {
  readonly root: HTMLElement;
  readonly #run: HTMLButtonElement;
  readonly #cancel: HTMLButtonElement;
  readonly #bar = element('div', { class: 'bar', attributes: { role: 'progressbar', 'aria-label': 'Progress' } });
  readonly #track: HTMLElement;
  /** Read out when it changes; the clock is not, or it would never be silent. */
  readonly #status = element('span', { class: 'status', attributes: { role: 'status', 'aria-live': 'polite' } });
  readonly #clock = element('span', { class: 'clock', attributes: { 'aria-hidden': 'true' } });
  #timer: number | undefined;

  constructor(run: () => void, cancel: () => void) {
    this.#run = button('Run Tool', 'primary', run);
    this.#run.title = 'Run the tool (Ctrl+Enter)';
    this.#cancel = button('Cancel', 'secondary', cancel);
    this.#cancel.title = 'Cancel the call (Escape)';
    this.#track = element('div', { class: 'track', children: [this.#bar] });
    const row = element('div', { class: 'buttons', children: [this.#run, this.#cancel, this.#status, this.#clock] });
    this.root = element('div', { class: 'run', children: [row, this.#track] });
  }

  /** Before the first tool has come, and while it cannot be called, there is nothing to run. */
  block(blocked: boolean): void {
    this.#run.disabled = blocked;
  }

  focus(): void {
    this.#run.focus();
  }

  show(run: RunView): void {
    const isRunning = run.kind === 'running';
    const hadFocus = document.activeElement === (isRunning ? this.#run : this.#cancel);
    show(this.#run, !isRunning);
    show(this.#cancel, isRunning);
    show(this.#track, isRunning);
    // The button that had the focus is gone: what took its place is where the person goes on.
    if (hadFocus) (isRunning ? this.#cancel : this.#run).focus();
    const said = outcome(run);
    if (this.#status.textContent !== said) this.#status.textContent = said;
    this.#status.classList.toggle('heard', !isRunning);
    this.#showFraction(isRunning ? run.fraction : undefined);
    this.#tick(isRunning ? run.elapsedMs : undefined);
  }

  #showFraction(fraction: number | undefined): void {
    this.#bar.classList.toggle('unknown', fraction === undefined);
    if (fraction === undefined) {
      this.#bar.removeAttribute('aria-valuenow');
      this.#bar.style.removeProperty('width');
      return;
    }
    const percent = Math.round(Math.min(1, Math.max(0, fraction)) * 100);
    this.#bar.setAttribute('aria-valuenow', String(percent));
    this.#bar.style.setProperty('width', `${percent}%`);
  }

  #tick(elapsedMs: number | undefined): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#clock.textContent = '';
    if (elapsedMs === undefined) return;
    const startedAt = performance.now() - elapsedMs;
    const paint = (): void => {
      this.#clock.textContent = seconds(performance.now() - startedAt);
    };
    paint();
    this.#timer = setInterval(paint, TICK_MS);
  }
}
