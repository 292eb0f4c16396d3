import { UserChanges } from '@portico/contract/user-input'
import { eachOwnMember, ownMembers, type OwnMember } from '../../sign-in/own-account/own-account.js'
import { changeOwnProfile } from '../../sign-in/own-account/own-profile.js'
import { profilePage } from '../views/account-profile.js'
import type { Section, SectionOutcome, SectionRequest } from './section.js'

/** The names of the user, their language, time zone, picture and address. */
export const profileSection: Section = {
  needsFresh: false,
  show: (request) => Promise.resolve(page(request)),
  actions: { save },
}

async function save(request: SectionRequest): Promise<SectionOutcome> {
  const { deps, tenant, session, account, field } = request
  const typed = eachOwnMember((name) => field(name).trim())
  // A field shows an address without its newlines, which must not be lost by a change of something else.
  const changed = ownMembers.filter((name) => typed[name] !== account.profile[name].replaceAll(/[\r\n]/g, ''))
  if (changed.length === 0) return 'done'
  const input = Object.fromEntries(changed.map((name) => [name, typed[name] || null]))
  const { data: changes, error } = UserChanges.safeParse(input)
  if (changes === undefined) {
    const wrong = changed.find((name) => error.issues.some(({ path }) => path.includes(name)))
    return { status: 422, page: page(request, { typed, wrong }) }
  }
  const outcome = await changeOwnProfile(deps, tenant, session, changes)
  return outcome === 'stale' ? 'stale' : 'done'
}

interface Refused {
  readonly typed: Readonly<Record<OwnMember, string>>
  readonly wrong: OwnMember | undefined
}

function page({ frame, form, account, isDone }: SectionRequest, refused?: Refused): string {
  const { profile, email, isProfileManaged } = account
  return profilePage({
    frame,
    form,
    email,
    values: refused?.typed ?? profile,
    isManaged: isProfileManaged,
    isDone,
    wrong: refused?.wrong,
  })
}
