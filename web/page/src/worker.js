/* The worker: requests come in, answers and frames go out. The same bundle serves the game's worker and the one that
 * plans and learns. See protocol.js for the messages. */
import { serve } from "./engine.js";

const handle = serve((message, transfer) => self.postMessage(message, transfer));
self.onmessage = (event) => handle(event.data);
