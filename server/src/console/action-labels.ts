import { operationLabel, screenLabel, type Labels } from '../screens/labels.js'
import { keyOf, type ScreenDeclaration } from '../screens/screen.js'
import type { ScreenTexts } from '../screens/texts/en.js'

/** What the audit calls operations: what is done, and with what. */
export function actionLabels(
  screens: readonly ScreenDeclaration[],
  labels: Labels,
  texts: ScreenTexts,
): Readonly<Record<string, string>> {
  const named = (route: string | undefined, verb: string, subject: string) =>
    route === undefined ? [] : [[route, texts.titleOf(verb, subject)] as const]
  const ofScreens = screens.flatMap((screen) => {
    const { list, record, create, update, actions = [], rowActions = [], listActions = [] } = screen
    const [many, one] = screenLabel(labels, keyOf(screen.at))
    return [
      ...named(list?.route, texts.view, many),
      ...named(record, texts.view, one),
      ...named(create, texts.create, one),
      ...named(update, texts.edit, one),
      ...[...actions, ...rowActions, ...listActions].flatMap((name) =>
        named(name, operationLabel(labels, name), one),
      ),
    ]
  })
  // Those of the page about a person have a label and no screen.
  return { ...labels.operations, ...Object.fromEntries(ofScreens) }
}
