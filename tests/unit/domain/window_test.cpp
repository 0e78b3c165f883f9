#include "domain/window.hpp"

#include <gtest/gtest.h>

namespace semel::domain {
namespace {

const Time created_at = from_ms(1'000'000);
const Time closed_at = from_ms(5'000'000);

constexpr DedupWindow fixed(Duration length) { return {DedupWindow::Kind::fixed, length}; }
constexpr DedupWindow retention{DedupWindow::Kind::retention, Duration{0}};
constexpr DedupWindow forever{DedupWindow::Kind::forever, Duration{0}};

constexpr Window after_creation(Duration length) { return {Window::Kind::after_creation, length}; }
constexpr Window after_closing(Duration length) { return {Window::Kind::after_closing, length}; }
constexpr Window always{Window::Kind::forever, Duration{0}};

TEST(Window, IsChosenByTheRequestThenTheTemplateThenTheQueue) {
  struct Case {
    WindowSettings settings;
    Window expected;
  };
  const std::vector<Case> cases{
      {{1s, fixed(2h), fixed(3h), 7 * 24h}, after_creation(1s)},
      {{1s, forever, forever, 7 * 24h}, after_creation(1s)},
      {{std::nullopt, fixed(2h), fixed(3h), 7 * 24h}, after_closing(2h)},
      {{std::nullopt, fixed(Duration{0}), fixed(3h), 7 * 24h}, after_closing(Duration{0})},
      {{std::nullopt, retention, fixed(3h), 6h}, after_closing(6h)},
      {{std::nullopt, forever, fixed(3h), 7 * 24h}, always},
      {{std::nullopt, std::nullopt, fixed(3h), 7 * 24h}, after_closing(3h)},
      {{std::nullopt, std::nullopt, retention, 5h}, after_closing(5h)},
      {{std::nullopt, std::nullopt, forever, 5h}, always},
  };

  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(choose_window(cases[i].settings), cases[i].expected) << "case " << i;
  }
}

TEST(Window, IsByDefaultTheLongerOfADayAndTheRetention) {
  const auto by_default = [](Duration kept) { return choose_window({{}, {}, {}, kept}); };

  EXPECT_EQ(by_default(Duration{0}), after_closing(24h));
  EXPECT_EQ(by_default(24h - 1ms), after_closing(24h));
  EXPECT_EQ(by_default(24h), after_closing(24h));
  EXPECT_EQ(by_default(24h + 1ms), after_closing(24h + 1ms));
  EXPECT_EQ(choose_window({}), after_closing(7 * 24h));
}

TEST(Window, EndsOneLengthAfterCreationOrClosing) {
  EXPECT_EQ(window_end(after_creation(60s), created_at, closed_at), created_at + 60s);
  EXPECT_EQ(window_end(after_closing(60s), created_at, closed_at), closed_at + 60s);
  EXPECT_EQ(window_end(after_closing(Duration{0}), created_at, closed_at), closed_at);
}

TEST(Window, HasNoEndForeverOrWhileTheHolderIsOpen) {
  EXPECT_EQ(window_end(always, created_at, closed_at), std::nullopt);
  for (const Window& window : {after_creation(60s), after_closing(60s), always}) {
    EXPECT_EQ(window_end(window, created_at, std::nullopt), std::nullopt);
  }
}

}  // namespace
}  // namespace semel::domain
