import { askedOf, mostAskedOf } from '@portico/contract/danger'
import type { FieldError } from '@portico/contract/errors'
import { routeNamed } from '@portico/contract/every-route'
import { ApiCall } from './api-call.js'
import { failedPage, failureOf, type Failure } from './failed.js'
import { fieldsOf, type Field } from './field.js'
import { Fields } from './form.js'
import { bodyOfForm, postedValues, type Posted } from './form-values.js'
import { memberLabel, operationHelp, operationLabel, screenLabel } from './labels.js'
import { isRemoval } from './links.js'
import { associationsOf, crumbsOf, pathOf, titleOf } from './look.js'
import { secretsOf, ShownOnce } from './once.js'
import { withIds } from './references.js'
import { parameterOf, type ScreenAt } from './screen.js'
import type { Outcome, Visit } from './visit.js'

/** A record as it was read for a form. */
interface Shown {
  readonly record: Readonly<Record<string, unknown>>
  readonly etag: string | undefined
}

/** What a form is shown with again. */
interface Again {
  readonly posted: Posted
  readonly faults: readonly FieldError[]
  /** A sentence about all of it. */
  readonly sentence: string
  readonly status: number
  readonly isChangedMeanwhile?: boolean
}

/** The form of an operation. It changes nothing; one that asks for a proof, or whose reader asks for it, leads to the sign-in first. */
export async function showForm(
  visit: Visit,
  at: ScreenAt,
  query: Readonly<Record<string, unknown>>,
): Promise<Outcome> {
  const { environment, isProved } = visit
  if (!visit.mayCall(at.route.name)) return failedPage(visit, refusal)
  const asked = 'proof' in query ? mostAskedOf(at.route, environment) : askedOf(at.route, environment)
  if (asked === 'proof' && !isProved) return { stepUp: 'asked' }
  const shown = await readShown(visit, at)
  return 'status' in shown ? failedPage(visit, shown) : formPage(visit, at, shown)
}

const refusal: Failure = { status: 403, code: 'insufficient_scope', message: '', fields: [], reference: '' }

/** Runs the operation of a form that was sent. */
export async function takeForm(visit: Visit, at: ScreenAt, posted: Posted): Promise<Outcome> {
  const { route, part, screen, params } = at
  const shown = await readShown(visit, at)
  if ('status' in shown) return failedPage(visit, shown)
  const fields = fieldsOfForm(at)
  const retyped = retypedOf(visit, at)
  const { texts } = visit.language
  const wrong = (faults: readonly FieldError[]) =>
    formPage(visit, at, shown, { posted, faults, sentence: texts.correct, status: 422 })
  if (retyped !== undefined && textOf(posted, 'retyped') !== retyped)
    return wrong([{ path: 'retyped', code: 'custom', message: texts.retyped }])
  const entered = bodyOfForm(fields, posted, part === 'update' ? shown.record : undefined)
  const { body, faults: unknown } = await withIds(visit, screen, entered)
  if (unknown.length > 0) return wrong(unknown)
  const answer = await visit.call({
    route: route.name,
    params,
    body,
    ifMatch: route.access.versioned === 'checks' ? textOf(posted, 'version') : undefined,
    idempotencyKey: route.access.idempotent ? textOf(posted, 'key') : undefined,
    reason: textOf(posted, 'reason'),
  })
  const failure = failureOf(answer)
  if (failure !== undefined) return refusedForm(visit, at, shown, posted, failure)
  // A change and a removal answer with the secrets that there were, which are not to be shown again.
  const hasSecrets = part !== 'update' && !isRemoval(route) && secretsOf(route, answer.body).length > 0
  if (hasSecrets) return resultPage(visit, at, answer.body, texts.shownOnce)
  if (screen.shown?.includes(route.name) === true) return resultPage(visit, at, answer.body, texts.done)
  return { location: placeAfter(visit, at, answer.body) }

  /** A new record, the one that was changed, or the list of what is gone. */
  function placeAfter(
    of: Visit,
    { screen: { at: list, recordAt, recordParameter } }: ScreenAt,
    made: unknown,
  ): string {
    const row = typeof made === 'object' && made !== null ? (made as Readonly<Record<string, unknown>>) : {}
    const isGone = route.method === 'DELETE' && recordParameter !== undefined
    if (part === 'create' && recordParameter !== undefined && screen.record !== undefined)
      return `${pathOf(of, recordAt, { ...params, [recordParameter]: parameterOf(recordParameter, row) })}?done`
    return isGone || screen.record === undefined
      ? `${pathOf(of, list, params)}?done`
      : `${pathOf(of, recordAt, params)}?done`
  }
}

function refusedForm(visit: Visit, at: ScreenAt, shown: Shown, posted: Posted, failure: Failure): Outcome {
  const { texts } = visit.language
  if (failure.code === 'proof_required') return { stepUp: 'sent' }
  if (
    failure.status === 404 ||
    failure.status === 429 ||
    failure.status >= 500 ||
    (failure.code === 'insufficient_scope' && !visit.mayCall(at.route.name))
  )
    return failedPage(visit, failure)
  const isChangedMeanwhile = failure.status === 412
  const sentence = isChangedMeanwhile
    ? texts.changedMeanwhile
    : failure.status === 422 && failure.fields.length > 0
      ? texts.correct
      : texts.refused(failure.message)
  return formPage(visit, at, shown, {
    posted,
    faults: failure.fields.map((fault) => ({ ...fault, message: texts.faultOf(fault.message) })),
    sentence,
    status: failure.status,
    isChangedMeanwhile,
  })
}

/** The record of a form about one: its values, and the version that a change is compared with. */
async function readShown(visit: Visit, { screen, part, params }: ScreenAt): Promise<Shown | Failure> {
  const isOfRecord = part === 'update' || (part === 'action' && screen.recordParameter !== undefined)
  if (screen.record === undefined || !isOfRecord) return { record: {}, etag: undefined }
  if (screen.recordParameter !== undefined && params[screen.recordParameter] === undefined)
    return { record: {}, etag: undefined }
  const answer = await visit.call({
    route: screen.record,
    params,
    query: associationsOf(routeNamed(screen.record)),
  })
  const failure = failureOf(answer)
  return failure ?? { record: answer.body as Shown['record'], etag: answer.etag }
}

/** The fields of a form, without those that the screen leaves out. What the contract says of an id is not of the name in its place. */
function fieldsOfForm({ screen, route }: ScreenAt): readonly Field[] {
  const { omitted = {}, references = {} } = screen
  return fieldsOf(route)
    .filter(({ path, name }) => !(name in omitted) && !((path[0] ?? '') in omitted))
    .map((field) =>
      field.name in references && field.kind === 'text' ? { ...field, help: undefined } : field,
    )
}

/** What has to be typed once more. */
function retypedOf({ environment }: Visit, { screen, route, params }: ScreenAt): string | undefined {
  const isAsked =
    askedOf(route, environment) !== undefined && route.method === 'DELETE' && screen.retyped !== undefined
  return isAsked ? params[screen.retyped ?? ''] : undefined
}

function formPage(visit: Visit, at: ScreenAt, shown: Shown, again?: Again): Outcome {
  const { language, environment, csrf } = visit
  const { texts, labels } = language
  const { screen, route, part, params } = at
  const fields = fieldsOfForm(at)
  const [, one] = screenLabel(labels, screen.key)
  const action = buttonOf(visit, at)
  const [always, most] = [askedOf(route, environment), mostAskedOf(route, environment)]
  const isInProduction = environment === 'production' || route.access.spansEnvironments === true
  const record = part === 'update' ? shown.record : undefined
  const retyped = retypedOf(visit, at)
  const ofRecord = part !== 'create' && Object.keys(shown.record).length > 0
  const subject = ofRecord ? titleOf(visit, screen, shown.record) : one
  const url = pathOf(
    visit,
    screen.record === undefined || part === 'create' ? screen.at : screen.recordAt,
    params,
  )
  const labelAt = (at: string) => {
    const field = fields.find(({ name }) => at === name || at.startsWith(`${name}.`))
    if (field !== undefined) return memberLabel(labels, field.path)
    return at === 'reason' ? texts.reason : at === 'retyped' ? texts.retype(retyped ?? '') : at
  }
  const content = (
    <>
      {part === 'action' && <p class="lead">{operationHelp(labels, route)}.</p>}
      {most === 'proof' && always !== 'proof' && !visit.isProved && (
        <p class="notice">
          {texts.proofFirst} <a href="?proof">{texts.signInAgain}</a>
        </p>
      )}
      {again !== undefined && (
        <div class="fault summary" role="alert" tabIndex={-1} autofocus>
          <p>{again.sentence}</p>
          {again.faults.length > 0 && (
            <ul>
              {again.faults.map(({ path, message }) => (
                <li key={path}>
                  <a href={`#${path}`}>{labelAt(path)}</a>: {message}
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
      <form method="post" data-once="" class="form-main" novalidate>
        <input type="hidden" name="csrf" value={csrf} />
        {shown.etag !== undefined && <input type="hidden" name="version" value={shown.etag} />}
        {route.access.idempotent && (
          <input
            type="hidden"
            name="key"
            value={again === undefined ? visit.newKey() : textOf(again.posted, 'key')}
          />
        )}
        <Fields
          language={language}
          fields={fields}
          record={record}
          posted={again?.posted}
          faults={again?.faults ?? []}
          isChangedMeanwhile={again?.isChangedMeanwhile === true}
        />
        {most !== undefined && (
          <Plain
            id="reason"
            label={texts.reason}
            required={always && texts.required}
            hint={texts.reasonHelp}
            again={again}
            maxLength={300}
          />
        )}
        {retyped !== undefined && (
          <Plain id="retyped" label={texts.retype(retyped)} required={texts.required} again={again} />
        )}
        <button type="submit" class={isRemoval(route) ? 'main danger' : 'main'}>
          {most !== undefined && isInProduction ? texts.inProduction(action) : action}
        </button>{' '}
        <a href={url}>{texts.cancel}</a>
      </form>
      <ApiCall
        texts={texts}
        baseUrl={visit.baseUrl}
        route={route}
        params={params}
        members={fields.filter(({ isRequired }) => isRequired || part === 'update')}
      />
    </>
  )
  const title = texts.titleOf(part === 'update' ? texts.edit : action, subject)
  const crumbs = [
    ...crumbsOf(visit, screen, params, part === 'create' && screen.list === undefined ? 'list' : 'record'),
    ...(ofRecord && screen.recordParameter !== undefined ? [{ label: subject, url }] : []),
  ]
  return { page: { status: again?.status ?? 200, title, crumbs, content } }
}

function buttonOf({ language: { texts, labels } }: Visit, { part, route }: ScreenAt): string {
  if (part === 'create') return texts.create
  return part === 'update' ? texts.save : operationLabel(labels, route.name)
}

/** A field that is not of the contract. */
function Plain({
  id,
  label,
  required,
  hint,
  again,
  maxLength,
}: {
  readonly id: string
  readonly label: string
  readonly required: string | undefined
  readonly hint?: string
  readonly again: Again | undefined
  readonly maxLength?: number
}) {
  const fault = again?.faults.find(({ path }) => path === id)
  const described = [fault && `${id}-fault`, hint && `${id}-help`].filter(Boolean).join(' ')
  return (
    <div class="field">
      <label for={id}>
        {label}
        {required !== undefined && <span class="quiet"> ({required})</span>}
      </label>
      {hint !== undefined && (
        <div class="hint" id={`${id}-help`}>
          {hint}
        </div>
      )}
      <input
        id={id}
        name={id}
        required={required !== undefined}
        autocomplete="off"
        maxLength={maxLength}
        value={again === undefined ? '' : textOf(again.posted, id)}
        aria-invalid={fault === undefined ? undefined : 'true'}
        aria-describedby={described === '' ? undefined : described}
      />
      {fault !== undefined && (
        <p class="fault" id={`${id}-fault`}>
          {fault.message}
        </p>
      )}
    </div>
  )
}

/** The answer with a secret, or without a record: no address shows it again. */
function resultPage(
  visit: Visit,
  { screen, params, route, part }: ScreenAt,
  body: unknown,
  sentence: string,
): Outcome {
  const { texts, labels } = visit.language
  const url = pathOf(
    visit,
    part === 'create' || screen.record === undefined ? screen.at : screen.recordAt,
    params,
  )
  const content = (
    <>
      <p class="done" role="status">
        {sentence}
      </p>
      <ShownOnce route={route} body={body} language={visit.language} />
      <p>
        <a href={url}>{texts.back}</a>
      </p>
    </>
  )
  const title = part === 'create' ? screenLabel(labels, screen.key)[1] : operationLabel(labels, route.name)
  return { page: { status: 200, title, crumbs: crumbsOf(visit, screen, params), content } }
}

function textOf(posted: Posted, name: string): string {
  return postedValues(posted, { name })[0] ?? ''
}
