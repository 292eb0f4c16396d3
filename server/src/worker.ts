/** What runs jobs: in the process of the API, or in one of its own. */
export { startWorker, type Worker, type WorkerOptions } from './jobs/run.js'
