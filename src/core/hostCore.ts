// The bundle of the host. It also lends what the editor's part needs at its start, so that neither is there twice.
export * from './host/host.ts';
export * from './base/hiddenText.ts';
export * from './model/settingRules.ts';
