import type { DirectorySync, ScimRequest } from '@portico/contract/directory-sync'
import type { OnboardingGroups } from '../../../sso/onboarding/directories.js'
import type { ProviderRequest } from '../../../sso/onboarding/provider-requests.js'
import type { OnboardingRules } from '../../../sso/onboarding/role-rules.js'
import type { UsedPath } from '../../../sso/onboarding/used-paths.js'
import { attributes } from '../../../sso/tutorials/blocks.js'
import { directoryTutorials } from '../../../sso/tutorials/directory/directory-tutorials.js'
import type { DirectoryTutorial } from '../../../sso/tutorials/tutorial.js'
import { Form } from '../../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../../frame/layout.js'
import { toTimeAgo, toWait } from '../../frame/moments.js'
import type { DirectoryTexts, RefusalReason } from '../../texts/en/directory.js'
import type { RoleRuleNotice } from '../../texts/en/role-rules.js'
import type { PageForm } from '../../frame/step-page.js'
import { asShown } from '../as-shown.js'
import { SignOutForms } from '../onboarding-frame.js'
import { ProductLine } from '../provider-mark.js'
import { hasRoleRules, RoleRules } from '../role-rules.js'
import type { EnteredRule } from '../role-rules-form.js'
import { Blocks, CopyField, inLanguage, Said } from '../tutorial-blocks.js'

/** The page on which an administrator sets up directory sync and checks that it works. */
interface DirectoryPage {
  readonly frame: Frame
  readonly form: PageForm
  readonly email: string
  readonly directory: DirectorySync
  /** The version of the record for which a secret may be generated. */
  readonly version: number
  readonly requests: readonly ProviderRequest[]
  readonly usedPaths: readonly UsedPath[]
  /** The rules that give roles, and the groups that another one can be of. */
  readonly mapped: OnboardingRules
  readonly groups: OnboardingGroups
  /** The rule that was not added. */
  readonly entered: EnteredRule | undefined
  /** The secret that was just generated. */
  readonly secret: string | undefined
  /** Why a form did nothing. */
  readonly notice: RoleRuleNotice | undefined
  readonly now: Date
}

/** Shows the steps in the console, the secret, and the recent requests. */
export function directoryPage(view: DirectoryPage): string {
  const { directory, notice, secret } = view
  // A link to another language would lose the secret, which is shown once.
  const frame = { ...view.frame, ...(secret !== undefined && { url: undefined }) }
  const { texts } = frame
  const words = texts.directory
  const tutorial = directoryTutorials[directory.provider_type]
  return toDocument(
    <HostedPage
      frame={frame}
      title={words.heading}
      isWide
      isFault={view.entered !== undefined}
      sentences={({ directory: made }) => [made.made, made.madeSentence]}
      above={<ProductLine product={tutorial} note={texts.tutorial.minutes(tutorial.minutes)} />}
    >
      <p>{words.sentence(tutorial.name)}</p>
      {!directory.active && <p class="notice warn">{words.inactive}</p>}
      {notice !== undefined && (
        <p class="notice warn" role="status">
          {texts.roleRules.notices[notice]}
        </p>
      )}
      <Secret view={view} />
      <h2>{words.steps}</h2>
      <ol class="steps">
        {tutorial.steps.map(({ id, title, blocks }) => (
          <li key={id}>
            <h3>
              <Said words={title} texts={texts} />
            </h3>
            <Blocks
              blocks={blocks}
              prefix={id}
              texts={texts}
              values={{ scim_base_url: directory.scim_base_url }}
              base=""
            />
          </li>
        ))}
      </ol>
      {tutorial.quirks.length > 0 && (
        <details>
          <summary>{texts.tutorial.goodToKnow}</summary>
          <ul class="quirks">
            {tutorial.quirks.map((quirk) => (
              <li key={inLanguage(quirk, texts)}>
                <Said words={quirk} texts={texts} />
              </li>
            ))}
          </ul>
        </details>
      )}
      <Suggested tutorial={tutorial} texts={texts} />
      <Roles view={view} />
      <Requests view={view} />
      <UsedPaths view={view} />
      <SignOutForms view={{ ...view, listUrl: '/onboarding' }} />
    </HostedPage>,
  )
}

/** The attributes that a provider can be made to send besides. */
function Suggested({
  tutorial: { suggested },
  texts,
}: {
  tutorial: DirectoryTutorial
  texts: Frame['texts']
}) {
  if (suggested === undefined) return null
  const words = texts.directory
  const table = attributes(...suggested.mappings.map(([path, source]): [string, string] => [path, source]))
  return (
    <section>
      <h2>{words.more}</h2>
      <p>{words.moreSentence}</p>
      <Blocks blocks={[...suggested.blocks, table]} prefix="more" texts={texts} values={{}} base="" />
    </section>
  )
}

/** The rules by which groups give roles; nothing where there is no role to give and none is given. */
function Roles({ view }: { view: DirectoryPage }) {
  const { frame, form, mapped, groups, entered } = view
  const words = frame.texts.roleRules
  if (!hasRoleRules(mapped)) return null
  return (
    <section>
      <h2>{words.of.directory.heading}</h2>
      <RoleRules
        view={{ ...{ frame, form, mapped, entered }, of: 'directory', suggested: { group: groups.names } }}
      />
      {groups.names.length > 0 && (
        <details>
          <summary>{words.groups}</summary>
          <ul class="quirks">
            {groups.names.map((group) => (
              <li key={group}>{asShown(group)}</li>
            ))}
          </ul>
          {groups.hasMore && <p class="quiet">{words.moreGroups}</p>}
        </details>
      )}
    </section>
  )
}

/** The names of the attributes that requests have had, so that nobody has to guess how the provider calls them. */
function UsedPaths({ view: { frame, usedPaths } }: { view: DirectoryPage }) {
  if (usedPaths.length === 0) return null
  const words = frame.texts.directory
  return (
    <section>
      <h2>{words.used}</h2>
      <p class="quiet">{words.usedSentence}</p>
      <ul class="quirks">
        {usedPaths.map(({ path, isMapped }) => (
          <li key={path}>
            <code lang="en">{asShown(path)}</code> {isMapped && <span class="tag">{words.isUsed}</span>}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Secret({ view }: { view: DirectoryPage }) {
  const { frame, form, directory, version, secret, now } = view
  const { texts } = frame
  const words = texts.directory
  const { previous_secret_expires_at: end } = directory
  const previousEnd = end !== null && Date.parse(end) > now.getTime() ? new Date(end) : undefined
  if (secret !== undefined)
    return (
      <section>
        <h2>{words.made}</h2>
        <p class="notice warn" role="status">
          {words.madeSentence}
        </p>
        <CopyField id="secret" label={words.secret} value={secret} texts={texts} />
      </section>
    )
  return (
    <section>
      <h2>{words.secret}</h2>
      <p>{words.secretHint}</p>
      <p class="quiet">
        {words.present(directory.auth_secret_token.hint)}{' '}
        {previousEnd !== undefined &&
          words.previous(toWait((previousEnd.getTime() - now.getTime()) / 1000, texts.lang))}
      </p>
      <p class="quiet">
        {words.makeSentence} {previousEnd !== undefined && words.makeAgain}
      </p>
      <Form form={form} action="make_secret" look="second" button={words.make} working={texts.working}>
        <input type="hidden" name="version" value={version} />
      </Form>
    </section>
  )
}

function Requests({ view: { frame, form, requests, now } }: { view: DirectoryPage }) {
  const { texts } = frame
  const words = texts.directory
  return (
    <section>
      <h2>{words.requests}</h2>
      <p class="quiet">{requests.length === 0 ? words.noRequests : words.requestsSentence}</p>
      {requests.length > 0 && (
        <ul class="tests requests">
          {requests.map(({ request, subject }) => (
            <li key={request.id}>
              <span class={outcomeOf(request) === 'done' ? 'success' : 'failed'}>
                {words.outcomes[outcomeOf(request)]}
              </span>
              <code lang="en">{`${request.method} ${asShown(request.path)} · ${request.status}`}</code>
              <time class="quiet" dateTime={request.inserted_at}>
                {toTimeAgo(new Date(request.inserted_at), now, texts.lang)}
              </time>
              {subject !== undefined && <p class="about">{asShown(subject)}</p>}
              {outcomeOf(request) !== 'done' && <Refusal request={request} words={words} />}
            </li>
          ))}
        </ul>
      )}
      <p>
        <a class="second" href={form.action}>
          {words.again}
        </a>
      </p>
    </section>
  )
}

/** Why a request was refused: in the language of the page, and as reported to the provider. */
function Refusal({ request, words }: { request: ScimRequest; words: DirectoryTexts['directory'] }) {
  const { answer, scim_type: type } = request
  const reported = [type, detailOf(answer)].filter((part) => part != null).join(': ')
  return (
    <>
      <p>{words.reasons[reasonOf(request)]}</p>
      {reported !== '' && (
        <p class="quiet">
          {words.told} <span lang="en">{asShown(reported)}</span>
        </p>
      )}
    </>
  )
}

/** The text key of a failure, by its status (RFC 7644 section 3.12). */
function reasonOf({ status }: ScimRequest): RefusalReason {
  if (status >= 500) return 'failed'
  return reasons[status] ?? 'invalid'
}

const reasons: Readonly<Partial<Record<number, RefusalReason>>> = {
  401: 'unproven',
  403: 'forbidden',
  404: 'missing',
  409: 'taken',
  412: 'outdated',
  413: 'large',
  429: 'often',
}

/** `detail` of an error (RFC 7644 section 3.12); undefined for other answers and truncated ones. */
function detailOf(answer: string | null): string | undefined {
  try {
    const body: unknown = JSON.parse(answer ?? '')
    if (typeof body !== 'object' || body === null || !('detail' in body)) return undefined
    return typeof body.detail === 'string' ? body.detail : undefined
  } catch {
    // Answers are stored truncated to 8,000 characters, which may not be valid JSON.
    return undefined
  }
}

function outcomeOf({ status }: ScimRequest): 'done' | 'refused' | 'failed' {
  if (status < 400) return 'done'
  return status < 500 ? 'refused' : 'failed'
}
