import { toDevice, type Device } from '../../platform/device.js'
import type { PageTexts } from '../texts/en.js'

/** A device by its browser and system, such as Firefox on Linux; undefined where neither is known. */
export function toDeviceName(
  { sessions: words }: PageTexts,
  { browser, system }: Device,
): string | undefined {
  if (browser !== undefined && system !== undefined) return words.onSystem(browser, system)
  return browser ?? system
}

/** What a passkey is called at first that is made in a browser, unless its provider is known. */
export function newPasskeyName(texts: PageTexts, userAgent: string | undefined): string {
  return toDeviceName(texts, toDevice(userAgent ?? null)) ?? texts.passkeys.own.unnamed
}
