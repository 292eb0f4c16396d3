import type { Call } from '../screens/call.js'
import { showForm, takeForm } from '../screens/act.js'
import { showList, showRecord } from '../screens/look.js'
import { findScreen, type ScreenAt } from '../screens/screen.js'
import type { Outcome } from '../screens/visit.js'
import type { Exchange } from '../pages/frame/page-route.js'
import { formOf, textOf } from '../pages/frame/site.js'
import { isOurForm, screens, visitOf, type ConsoleVisit } from './console-visit.js'
import { showOverview } from './overview.js'
import { mendPerson, showPerson } from './person.js'
import { sendConsoleSentence } from './page.js'
import { search } from './search.js'
import { answer, pathBelow } from './send-screen.js'

/** Answers an address below that of an environment. */
export function serveScreens(call: Call) {
  return {
    get: async (exchange: Exchange): Promise<void> => {
      const visit = await visitOf(exchange, call)
      if (visit === undefined) return
      const at = findScreen(screens, pathBelow(exchange))
      if (at === undefined) sendConsoleSentence(exchange, 404, 'notFound')
      else await answer(visit, await look(visit, at))
    },
    home: async (exchange: Exchange): Promise<void> => {
      const visit = await visitOf(exchange, call)
      if (visit !== undefined) await answer(visit, await showOverview(visit))
    },
    person: async (exchange: Exchange): Promise<void> => {
      const visit = await visitOf(exchange, call)
      if (visit !== undefined) await answer(visit, await showPerson(visit))
    },
    search: async (exchange: Exchange): Promise<void> => {
      const visit = await visitOf(exchange, call)
      if (visit !== undefined) await answer(visit, await search(visit))
    },
    mend: async (exchange: Exchange): Promise<void> => {
      const visit = await visitOf(exchange, call)
      if (visit === undefined) return
      const outcome = await mendPerson(visit, textOf(exchange.req.params['action']))
      if (outcome === 'missing') sendConsoleSentence(exchange, 404, 'notFound')
      else if (outcome === 'foreign') sendConsoleSentence(exchange, 403, 'otherForm')
      else await answer(visit, outcome)
    },
    post: async (exchange: Exchange): Promise<void> => {
      const visit = await visitOf(exchange, call)
      if (visit === undefined) return
      const at = findScreen(screens, pathBelow(exchange))
      if (at === undefined || at.part === 'list' || at.part === 'record') {
        sendConsoleSentence(exchange, 404, 'notFound')
        return
      }
      if (!isOurForm(visit)) {
        sendConsoleSentence(exchange, 403, 'otherForm')
        return
      }
      await answer(visit, await takeForm(visit, at, formOf(exchange.req)))
    },
  }
}

function look(visit: ConsoleVisit, at: ScreenAt): Promise<Outcome> {
  const query = visit.exchange.req.query
  if (at.part === 'list') return showList(visit, at, query)
  return at.part === 'record' ? showRecord(visit, at, query) : showForm(visit, at, query)
}
