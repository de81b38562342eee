import { Route, Switch } from "wouter";
import MessageList from "./message_list.tsx";
import MessagePage from "./message_page.tsx";
import SendPage from "./send_page.tsx";

/** Messages: the list, one of them, and one send. */
export default function Messages() {
  return (
    <Switch>
      <Route path="/">{() => <MessageList />}</Route>
      <Route path="/sends/:id">{({ id }) => <SendPage id={id} />}</Route>
      <Route path="/:id">{({ id }) => <MessagePage id={id} />}</Route>
    </Switch>
  );
}
