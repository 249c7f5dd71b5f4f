import { button, element, show } from '../shared/elements.ts';
import { ArgumentsEditor } from './argumentsEditor.ts';
import {
  decodePageState,
  type FieldView,
  type FromPage,
  type PageState,
  type RefusedView,
  type RunView,
  type ToolView,
  type ToPage,
} from './formMessages.ts';
import { outcome, resultView, seconds } from './resultView.ts';

/** The editor's API for pages. */
interface EditorApi {
  postMessage(message: FromPage): void;
  getState(): unknown;
  setState(state: PageState): void;
}

declare function acquireVsCodeApi(): EditorApi;

const MAX_HISTORY = 10;
const SUMMARY_LENGTH = 80;

/** The page of one tool. It displays the received state and keeps the input; the editor does everything else. */
class ToolPage {
  readonly #editor = acquireVsCodeApi();
  readonly #head = element('header');
  readonly #banner = element('div', { class: 'banner', attributes: { role: 'status' } });
  readonly #body = element('div');
  readonly #arguments = new ArgumentsEditor(() => {
    this.#showRefused(undefined);
    this.#save();
  });
  readonly #switch = button('', 'link', () => this.#send({ type: 'switch', entered: this.#arguments.entered }));
  readonly #recent = element('select', { id: 'recent', attributes: { 'aria-label': 'Recent arguments' } });
  readonly #recentBox = element('div', { class: 'select recent', children: [this.#recent] });
  readonly #bar = new RunBar(
    () => this.#run(),
    () => this.#send({ type: 'cancel' }),
  );
  readonly #refused = element('div', { class: 'banner refused', attributes: { role: 'alert' } });
  readonly #result = element('section', { class: 'result', attributes: { 'aria-label': 'Result' } });
  #tool: ToolView | undefined;
  #history: readonly string[] = [];
  #isRunning = false;

  start(): void {
    // Next to the buttons, which stay visible however long the form is.
    this.#bar.root.prepend(this.#refused);
    this.#body.append(this.#tools(), this.#arguments.root, this.#bar.root);
    document.body.append(element('main', { children: [this.#head, this.#banner, this.#body, this.#result] }));
    show(this.#body, false);
    show(this.#banner, false);
    this.#showRefused(undefined);
    this.#bar.block(true);
    this.#bar.show({ kind: 'idle' });
    this.#recent.addEventListener('change', () => this.#recall());
    window.addEventListener('message', ({ data }: MessageEvent<ToPage>) => this.#receive(data));
    document.addEventListener('keydown', (event) => this.#key(event));
    this.#send({ type: 'ready' });
  }

  #tools(): HTMLElement {
    const title = element('h2', { text: 'Arguments' });
    return element('div', { class: 'heading', children: [title, this.#switch, this.#recentBox] });
  }

  #receive(message: ToPage): void {
    switch (message.type) {
      case 'tool':
        return this.#setTool(message.tool);
      case 'run':
        return this.#showRun(message.run);
      case 'errors':
        this.#showRefused(message.refused);
        return this.#arguments.mark(message.errors);
      case 'sent':
        return this.#remember(message.json);
      case 'json':
        return this.#showJson(message.text);
      case 'form':
        this.#arguments.showForm(message.values);
        return this.#afterSwitch();
    }
  }

  #showRun(run: RunView): void {
    const wasRunning = this.#isRunning;
    this.#isRunning = run.kind === 'running';
    this.#bar.show(run);
    this.#result.classList.toggle('stale', this.#isRunning);
    if (this.#isRunning) return;
    const actions = {
      copy: () => this.#send({ type: 'copy' }),
      open: () => this.#send({ type: 'open' }),
      log: () => this.#send({ type: 'log' }),
      sendAnyway: () => this.#send({ type: 'sendAnyway' }),
    };
    this.#result.replaceChildren(...resultView(run, actions));
    // Scrolls to the result, which a long form would hide.
    if (wasRunning) this.#result.scrollIntoView({ block: 'start' });
  }

  #setTool(tool: ToolView): void {
    const isFirst = tool.known && this.#tool?.known !== true;
    this.#tool = tool;
    this.#head.replaceChildren(...headOf(tool));
    this.#showBlocked(tool);
    this.#showRefused(undefined);
    show(this.#body, tool.known);
    if (isFirst) this.#restore(tool);
    // The tool may have changed while the page was open. Keeps the values of fields that still exist.
    else if (tool.known) this.#arguments.setTool(tool, this.#arguments.values);
    this.#showTools();
    if (isFirst) this.#arguments.focus();
  }

  #restore(tool: ToolView): void {
    const kept = decodePageState(this.#editor.getState());
    const mine = kept !== undefined && kept.server === tool.server && kept.tool === tool.tool ? kept : undefined;
    this.#history = mine?.history ?? [];
    this.#arguments.setTool(tool, mine?.values ?? tool.values);
    if (mine?.mode === 'json') this.#arguments.showJson(mine.text);
    else if (mine === undefined && tool.fields.length === 0 && !tool.complete) this.#arguments.showJson('{}');
  }

  #showBlocked({ blocked }: ToolView): void {
    this.#bar.block(blocked !== undefined);
    show(this.#banner, blocked !== undefined);
    this.#banner.replaceChildren(
      element('span', { text: blocked?.reason ?? '' }),
      ...(blocked?.canStart === true ? [button('Start Server', 'secondary', () => this.#send({ type: 'start' }))] : []),
    );
  }

  #showTools(): void {
    this.#switch.textContent = this.#arguments.mode === 'json' ? 'Edit in Form' : 'Edit as JSON';
    show(this.#switch, this.#tool !== undefined && this.#tool.fields.length > 0);
    // A tool without arguments has no history.
    const takesSome = this.#tool !== undefined && (this.#tool.fields.length > 0 || !this.#tool.complete);
    show(this.#recentBox, this.#history.length > 0 && takesSome);
    const options = this.#history.map((json, index) => new Option(summary(json), String(index)));
    this.#recent.replaceChildren(new Option('Recent arguments…', ''), ...options);
  }

  #run(anyway = false): void {
    if (this.#tool?.blocked !== undefined || this.#isRunning) return;
    this.#arguments.mark({});
    this.#showRefused(undefined);
    this.#send({ type: 'run', entered: this.#arguments.entered, anyway });
  }

  #sendAnyway(): void {
    // The focused button disappears with the banner, so focus the buttons below.
    this.#bar.focus();
    this.#run(true);
  }

  /** Shows why a call was not sent, until the input changes. */
  #showRefused(refused: RefusedView | undefined): void {
    show(this.#refused, refused !== undefined);
    this.#result.classList.toggle('stale', refused !== undefined);
    this.#refused.replaceChildren(
      element('span', { text: refused?.reason ?? '' }),
      ...(refused?.canSendAnyway === true ? [button('Send Anyway', 'secondary', () => this.#sendAnyway())] : []),
    );
  }

  /**
   * Restores the arguments as JSON, which can hold everything. Switches back to the form if it was open and they fit.
   */
  #recall(): void {
    const json = this.#history[Number(this.#recent.value)];
    if (this.#recent.value === '' || json === undefined) return;
    const wasForm = this.#arguments.mode === 'form';
    this.#showJson(json);
    if (wasForm) this.#send({ type: 'switch', entered: { mode: 'json', text: json } });
  }

  #remember(json: string): void {
    this.#history = [json, ...this.#history.filter((other) => other !== json)].slice(0, MAX_HISTORY);
    this.#showTools();
    this.#save();
  }

  #showJson(text: string): void {
    this.#arguments.showJson(text);
    this.#afterSwitch();
  }

  #afterSwitch(): void {
    this.#showRefused(undefined);
    this.#showTools();
    this.#save();
    this.#arguments.focus();
  }

  #save(): void {
    if (this.#tool?.known !== true) return;
    const { server, tool, fields } = this.#tool;
    const secrets = new Set(secretIds(fields));
    const values = Object.fromEntries(Object.entries(this.#arguments.values).filter(([id]) => !secrets.has(id)));
    // The JSON of a tool with secrets may contain them, so it is not stored.
    const text = secrets.size === 0 ? this.#arguments.text : '';
    const mode = secrets.size === 0 ? this.#arguments.mode : 'form';
    this.#editor.setState({ server, tool, mode, values, text, history: this.#history });
  }

  #key(event: KeyboardEvent): void {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.#run();
    } else if (event.key === 'Escape' && this.#isRunning) {
      event.preventDefault();
      this.#send({ type: 'cancel' });
    }
  }

  #send(message: FromPage): void {
    this.#editor.postMessage(message);
  }
}

function headOf(tool: ToolView): readonly Node[] {
  const origin = element('div', { class: 'origin', text: tool.origin });
  const description = element('p', { class: 'description', text: tool.description });
  const hints = `The server says: ${tool.hints.join(', ')}.`;
  return [
    element('h1', { text: tool.title }),
    origin,
    ...(tool.description === '' ? [] : [description]),
    ...(tool.hints.length === 0 ? [] : [element('p', { class: 'hints', text: hints })]),
    ...(tool.complete
      ? []
      : [
          element('p', {
            class: 'hints',
            text: 'The tool takes more than this form shows. Edit the arguments as JSON to send the rest.',
          }),
        ]),
  ];
}

function secretIds(fields: readonly FieldView[]): readonly string[] {
  return fields.flatMap((field) => {
    if (field.kind === 'group') return secretIds(field.fields);
    const format =
      field.kind === 'text'
        ? field.format
        : field.kind === 'list' && field.item.kind === 'text'
          ? field.item.format
          : undefined;
    return format === 'password' ? [field.id] : [];
  });
}

function summary(json: string): string {
  const line = json.replace(/\s+/g, ' ');
  return line.length > SUMMARY_LENGTH ? `${line.slice(0, SUMMARY_LENGTH - 1)}…` : line;
}

const TICK_MS = 100;

/** The run and cancel buttons, and the progress of a run. */
class RunBar {
  readonly root: HTMLElement;
  readonly #run: HTMLButtonElement;
  readonly #cancel: HTMLButtonElement;
  readonly #bar = element('div', { class: 'bar', attributes: { role: 'progressbar', 'aria-label': 'Progress' } });
  readonly #track: HTMLElement;
  /** Announced on change. The clock is separate and never announced. */
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

  /** Disables the run button before the first tool arrives and while the tool cannot be called. */
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
    // The focused button is gone, so focus its replacement.
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

new ToolPage().start();
