/** The browser and the device or system that a User-Agent header names, by their common names. */
export interface Device {
  readonly browser: string | undefined
  readonly system: string | undefined
  readonly isHandheld: boolean
}

/** Order matters: nearly every browser also claims to be Chrome or Safari, and every one on Android also Linux. */
const browsers = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|Opera|OPT)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|Chromium|HeadlessChrome|CriOS)\//, 'Chrome'],
  [/\bVersion\/\d.*\bSafari\//, 'Safari'],
] as const

const systems = [
  [/\biPad\b/, 'iPad'],
  [/\biPod\b/, 'iPod'],
  [/\biPhone\b/, 'iPhone'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'Mac'],
  [/\bLinux\b/, 'Linux'],
] as const

/** More than a browser sends. */
const maxLength = 500

/** Parses a User-Agent header. Its sender chooses the text, so none of it is shown, and of a long one only the beginning is read. */
export function toDevice(userAgent: string | null): Device {
  const text = (userAgent ?? '').slice(0, maxLength)
  return {
    browser: browsers.find(([pattern]) => pattern.test(text))?.[1],
    system: systems.find(([pattern]) => pattern.test(text))?.[1],
    isHandheld: /\biPhone\b|\biPod\b|\biPad\b|\bAndroid\b|\bMobile\b/.test(text),
  }
}
