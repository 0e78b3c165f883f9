#include <CLI/CLI.hpp>

#include "cli/client/exit_code.hpp"
#include "cli/client/terminal.hpp"
#include "cli/commands.hpp"

/// Completion scripts, made from the tree of commands, so that they cannot forget one.
namespace semel::cli {
namespace {

struct Word {
  std::string text;
  std::string about;
  bool takes_value = false;
};

/// A command with what may follow it. The path of the program itself is empty.
struct Place {
  std::string path;  // "template apply"
  std::vector<Word> commands;
  std::vector<Word> options;
};

std::vector<Word> options_of(const CLI::App& app) {
  std::vector<Word> words;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames())
      words.push_back({"--" + name, option->get_description(), option->get_items_expected_max() > 0});
  }
  return words;
}

void collect(const CLI::App& app, const std::string& path, std::vector<Place>& places) {
  const std::vector<const CLI::App*> commands = app.get_subcommands([](const CLI::App*) { return true; });
  Place place{path, {}, options_of(app)};
  for (const CLI::App* command : commands) place.commands.push_back({command->get_name(), command->get_description()});
  places.push_back(std::move(place));
  for (const CLI::App* command : commands)
    collect(*command, path.empty() ? command->get_name() : path + " " + command->get_name(), places);
}

std::string joined(const std::vector<Word>& words, bool only_with_value = false) {
  std::string all;
  for (const Word& word : words) {
    if (only_with_value && !word.takes_value) continue;
    all += (all.empty() ? "" : " ") + word.text;
  }
  return all;
}

/// Which words may follow, and after which options a value comes: the same in bash and zsh.
std::string shell_cases(const std::vector<Place>& places) {
  std::string cases;
  for (const Place& place : places) {
    cases += "    '" + place.path + "') commands='" + joined(place.commands) + "'; options='" + joined(place.options) +
             "'; valued=' " + joined(place.options, true) + " ' ;;\n";
  }
  return cases;
}

std::string bash_script(const std::vector<Place>& places) {
  return R"(# semel completion bash: load it with  source <(semel completion bash)
_semel_place() {
  case "$1" in
)" + shell_cases(places) +
         R"(    *) return 1 ;;
  esac
}
_semel() {
  local current="${COMP_WORDS[COMP_CWORD]}" path='' commands options valued word skip='' i
  _semel_place ''
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${COMP_WORDS[i]}"
    if [[ -n "$skip" ]]; then skip=''; continue; fi
    if [[ "$valued" == *" $word "* ]]; then skip=1; continue; fi
    if [[ " $commands " == *" $word "* ]]; then path="${path:+$path }$word"; _semel_place "$path"; fi
  done
  COMPREPLY=()
  [[ -n "$skip" ]] && return  # a value: files are offered
  if [[ "$current" == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [[ -n "$commands" ]]; then COMPREPLY=($(compgen -W "$commands" -- "$current")); fi
}
complete -o default -F _semel semel
)";
}

std::string zsh_script(const std::vector<Place>& places) {
  return R"(#compdef semel
# semel completion zsh: save it as _semel in a folder of $fpath, or load it with  source <(semel completion zsh)
_semel_place() {
  case "$1" in
)" + shell_cases(places) +
         R"(    *) return 1 ;;
  esac
}
_semel() {
  local place='' commands options valued word skip='' i
  _semel_place ''
  for ((i = 2; i < CURRENT; i++)); do
    word="${words[i]}"
    if [[ -n "$skip" ]]; then skip=''; continue; fi
    if [[ "$valued" == *" $word "* ]]; then skip=1; continue; fi
    if [[ " $commands " == *" $word "* ]]; then place="${place:+$place }$word"; _semel_place "$place"; fi
  done
  if [[ -n "$skip" ]]; then _files
  elif [[ "${words[CURRENT]}" == -* ]]; then compadd -- ${=options}
  elif [[ -n "$commands" ]]; then compadd -- ${=commands}
  else _files; fi
}
if [[ "${funcstack[1]}" == _semel ]]; then _semel "$@"; else compdef _semel semel; fi
)";
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "\\'" : c == '\\' ? "\\\\" : std::string(1, c);
  return out + "'";
}

/// True when exactly these commands were written.
std::string fish_condition(const Place& place) { return quoted("test (__semel_path) = " + quoted(place.path)); }

std::string fish_script(const std::vector<Place>& places) {
  std::string lines;
  std::string cases;
  for (const Place& place : places) {
    const std::string line = "complete -c semel -n " + fish_condition(place);
    for (const Word& word : place.commands) lines += line + " -f -a " + word.text + " -d " + quoted(word.about) + "\n";
    for (const Word& word : place.options) {
      lines +=
          line + " -l " + word.text.substr(2) + (word.takes_value ? " -r" : "") + " -d " + quoted(word.about) + "\n";
    }
    if (!place.commands.empty())
      cases += "      case " + quoted(place.path) + "; contains -- $word " + joined(place.commands) +
               "; and set path (string trim -- \"$path $word\")\n";
  }
  return R"(# semel completion fish: save it as ~/.config/fish/completions/semel.fish
function __semel_path
  set -l path ''
  for word in (commandline -opc)[2..-1]
    switch "$path"
)" + cases +
         R"(    end
  end
  echo "$path"
end
)" + lines;
}

std::string script_for(const std::string& shell, const std::vector<Place>& places) {
  if (shell == "bash") return bash_script(places);
  return shell == "zsh" ? zsh_script(places) : fish_script(places);
}

}  // namespace

void add_completion(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("completion", "Print what lets a shell complete the commands and options.");
  auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer("Example:\n  source <(semel completion bash)");
  command->callback([shell, &app, &exit_code] {
    std::vector<Place> places;
    collect(app, "", places);
    print(script_for(*shell, places));
    exit_code = exit_code::ok;
  });
}

}  // namespace semel::cli
