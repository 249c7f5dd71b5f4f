/** Everything that reads the text of settings files: a bundle of its own, as most windows never need it. */
export { locateSetting, positionAt } from './settingLocator.ts';
export { isSettingsText, withSetting } from './settingsText.ts';
