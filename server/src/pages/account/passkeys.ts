import { pathId } from '@portico/contract/fields'
import { PasskeyChanges } from '@portico/contract/passkeys'
import {
  addOwnPasskey,
  findOwnPasskeys,
  removeOwnPasskey,
  renameOwnPasskey,
  renewOwnPasskeyCodes,
} from '../../sign-in/own-account/own-passkeys.js'
import { newPasskeyName } from '../frame/device-name.js'
import { onceShown } from '../steps/user-flow.js'
import { passkeysPage } from '../views/account-passkeys.js'
import { recoveryCodesPage } from '../views/recovery-codes.js'
import type { OwnPasskeyFault } from '../texts/en/passkeys.js'
import type { Section, SectionOutcome, SectionRequest } from './section.js'

/** The passkeys of the user. */
export const passkeysSection: Section = {
  needsFresh: true,
  // Writing recovery codes down may take longer, and a new sign-in would show others.
  actionsAnytime: ['acknowledge'],
  show: (request) => page(request),
  actions: { add, rename, remove, new_codes: newCodes, acknowledge },
}

async function add(request: SectionRequest): Promise<SectionOutcome> {
  const { deps, tenant, session, frame, form, field, userAgent } = request
  const outcome = await addOwnPasskey(deps, tenant, session, {
    credential: field('credential'),
    csrf: form.csrf,
    name: newPasskeyName(frame.texts, userAgent),
  })
  if (outcome === 'stale') return 'stale'
  return outcome === 'added' || outcome === 'not_offered' ? 'done' : refuse(request, outcome)
}

async function rename(request: SectionRequest): Promise<SectionOutcome> {
  const { deps, tenant, session, field } = request
  const changes = PasskeyChanges.safeParse({ name: field('name').trim() }).data
  const id = PasskeyId.safeParse(field('passkey_id')).data
  if (id === undefined) return 'done'
  if (changes === undefined) return refuse(request, 'bad_name')
  const outcome = await renameOwnPasskey(deps, tenant, session, { id, ...changes })
  return outcome === 'stale' ? 'stale' : 'done'
}

async function remove(request: SectionRequest): Promise<SectionOutcome> {
  const { deps, tenant, session, field } = request
  const id = PasskeyId.safeParse(field('passkey_id')).data
  if (id === undefined) return 'done'
  const outcome = await removeOwnPasskey(deps, tenant, session, id)
  if (outcome === 'stale') return 'stale'
  return outcome === 'removed' ? 'done' : refuse(request, outcome, 409)
}

async function newCodes({
  deps,
  tenant,
  session,
  account,
  frame,
  form,
}: SectionRequest): Promise<SectionOutcome> {
  const codes = await renewOwnPasskeyCodes(deps, tenant, session)
  if (codes === 'stale') return 'stale'
  if (codes === undefined) return 'done'
  const made = { codes, email: account.email, at: deps.now() }
  return { status: 200, page: recoveryCodesPage({ frame: onceShown(frame), form, of: 'passkey', made }) }
}

function acknowledge({ frame, form, field }: SectionRequest): Promise<SectionOutcome> {
  if (field('acknowledged') === 'true') return Promise.resolve('done')
  const gone = { frame: onceShown(frame), form, of: 'passkey', made: null } as const
  return Promise.resolve({
    status: 422,
    page: recoveryCodesPage({ ...gone, fault: 'not_acknowledged' }),
  })
}

const PasskeyId = pathId()

async function refuse(
  request: SectionRequest,
  fault: OwnPasskeyFault,
  status = 422,
): Promise<SectionOutcome> {
  return { status, page: await page(request, fault) }
}

async function page(request: SectionRequest, fault?: OwnPasskeyFault): Promise<string> {
  const { deps, tenant, session, frame, form, account, isDone } = request
  const { passkeys, ...own } = await findOwnPasskeys(deps, tenant, session, form.csrf)
  return passkeysPage({
    frame,
    form,
    email: account.email,
    passkeys: passkeys.map((passkey) => ({
      id: passkey.id,
      name: passkey.name,
      isSynced: passkey.synced,
      isDisabled: passkey.disabled_at !== null,
      addedAt: passkey.inserted_at,
      lastUsedAt: passkey.last_used_at,
    })),
    ...own,
    now: deps.now(),
    isDone,
    fault,
  })
}
